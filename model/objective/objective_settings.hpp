#pragma once

#include <stdexcept>

#include "model/choices.hpp"

namespace gausscse {

/// What makes an objective. Members that the kind has no use for have no bearing.
struct ObjectiveSettings {
  ObjectiveKind kind = ObjectiveKind::gaussian_contrastive;
  double temperature = 0.05;  ///< divides similarities
  /// Of gaussian_contrastive: its denominator and its similarity, one with a direction.
  Loss loss = Loss::ent_con_rev;
  Similarity similarity = Similarity::per_dimension;
  /// Of gaussian_contrastive: SimCSE's loss of the means is added, whatever the denominator (released program).
  bool with_simcse = false;
  /// Of cosine_contrastive: whether contradictions are candidates, and what is added to the logit of the anchor's own.
  bool hard_negatives = true;
  double hard_negative_weight = 0.0;
  Directions directions = Directions::one;                       ///< of cosine_contrastive
  ClassifierActivation activation = ClassifierActivation::none;  ///< of pair_classification
  bool operator==(const ObjectiveSettings&) const = default;
};

/// How many sentences of an example the objective needs, of premise, entailment and contradiction in this order.
inline int roles_of(const ObjectiveSettings& settings) {
  switch (settings.kind) {
    case ObjectiveKind::gaussian_contrastive:
      return settings.with_simcse || settings.loss == Loss::ent_con || settings.loss == Loss::ent_con_rev ? 3 : 2;
    case ObjectiveKind::cosine_contrastive:
      return settings.hard_negatives ? 3 : 2;
    case ObjectiveKind::pair_classification:
      return 2;
  }
  throw std::logic_error("no objective of this number");
}

/// Whether the objective is one of labelled pairs.
inline bool needs_labels(const ObjectiveSettings& settings) {
  return settings.kind == ObjectiveKind::pair_classification;
}

/// The similarity that a model of the objective is made for.
inline Similarity similarity_of(const ObjectiveSettings& settings) {
  return settings.kind == ObjectiveKind::gaussian_contrastive ? settings.similarity : Similarity::cosine;
}

}  // namespace gausscse
