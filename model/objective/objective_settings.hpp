#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/choices.hpp"

namespace gausscse {

/// A term of a sum, under the user's name for it. A template, so that `Settings` may have a list of such terms itself.
template <typename Settings>
struct NamedTerm {
  std::string name = {};
  double weight = 1;  ///< 0: the term is not computed, and has no parameters
  Settings objective = {};

  bool operator==(const NamedTerm& other) const {
    return name == other.name && weight == other.weight && objective == other.objective;
  }
};

/// Settings that make an objective. Members that the kind does not use have no effect.
struct ObjectiveSettings {
  ObjectiveKind kind = ObjectiveKind::gaussian_contrastive;
  double temperature = 0.05;                              ///< for a contrastive one: divides similarities
  FalseNegatives false_negatives = FalseNegatives::keep;  ///< for a contrastive one
  /// For gaussian_contrastive: its denominator and its similarity, one with a direction.
  Loss loss = Loss::ent_con_rev;
  Similarity similarity = Similarity::per_dimension;
  /// For gaussian_contrastive: SimCSE's loss of the means is added, regardless of the denominator (released program).
  bool with_simcse = false;
  /// For cosine_contrastive: whether contradictions are candidates, and the number added to the logit of the anchor's
  /// own.
  bool hard_negatives = true;
  double hard_negative_weight = 0.0;
  Directions directions = Directions::one;  ///< for cosine_contrastive
  /// For cosine_contrastive as a term next to a Gaussian one: only the first half of a row counts, the mean of a
  /// Gaussian; the gradient by the other half is 0. No trial has it: `terms_of` sets it.
  bool of_means = false;
  /// For pair_classification and augmented_classification.
  ClassifierActivation activation = ClassifierActivation::none;
  /// For supervised_contrastive and augmented_classification: hypotheses of an anchor at most, its own included;
  /// nothing: all.
  std::optional<std::int64_t> positives = {}, negatives = {};
  OtherPremiseLabel other_premise_label = OtherPremiseLabel::neutral;  ///< for augmented_classification
  std::vector<NamedTerm<ObjectiveSettings>> terms = {};                ///< for sum, none of them a sum

  bool operator==(const ObjectiveSettings&) const = default;
};

using ObjectiveTerm = NamedTerm<ObjectiveSettings>;

/// Returns the terms that are computed of a sum, or of a Gaussian loss with SimCSE's; none for a single loss.
std::vector<ObjectiveTerm> terms_of(const ObjectiveSettings& settings);

/// Returns the number of sentences of an example that the objective needs, of premise, entailment and contradiction in
/// this order.
int roles_of(const ObjectiveSettings& settings);

/// Returns whether the objective is one of labelled pairs.
bool needs_labels(const ObjectiveSettings& settings);

/// Returns the rule of its losses that leaves out the most candidates.
FalseNegatives false_negatives_of(const ObjectiveSettings& settings);

/// Returns the activation of the classifier that the objective trains; nothing where it has none.
std::optional<ClassifierActivation> classifier_of(const ObjectiveSettings& settings);

/// Returns the similarity that a model of the objective is made for.
Similarity similarity_of(const ObjectiveSettings& settings);

/// Returns the number of terms in an anchor's denominator in a full batch besides the numerator's, for each loss of the
/// objective; nothing where it has no denominator. With B examples a batch, over all ranks:
///
///  - GaussCSE's loss (eq. 3 of the paper; see begin_gaussian_contrastive in losses.hpp): V_E, V_C and V_R are sums of
///    B terms, of which only V_E's j = i is the numerator. So it is B - 1 for ent, 2B - 1 for ent+con and for ent+rev,
///    3B - 1 for ent+con+rev. V_R's j = i is the anchor's own pair, reversed, and no numerator.
///  - Contrast by cosines (see begin_cosine_contrastive): B - 1, with hard negatives 2B - 1. With both directions also
///    B - 1 for entailments as anchors, which have no hard negatives.
///  - Supervised contrastive (see begin_supervised_contrastive): B - 1, or fewer where positives and negatives are
///    limited. An anchor may have fewer, as its positives depend on the data.
///  - with_simcse, and sums: those of all losses.
std::vector<std::int64_t> negatives_of_anchor(const ObjectiveSettings& objective, std::int64_t batch_size);

}  // namespace gausscse
