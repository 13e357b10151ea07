#pragma once

#include <memory>

#include "model/objective/objective.hpp"
#include "model/objective/objective_settings.hpp"

// Losses that objectives are made of, a source file each. They read the members of the settings that are for their
// kind. ConfiguredObjective calls them.
//
// Memory is O(batch * width). The bits do not depend on the number of threads.
namespace gausscse {

/// Begins GaussCSE's loss over the global batch; gaussian_contrastive.cpp has its formula. Rows are 2*dimension wide,
/// mean then log-variance.
std::unique_ptr<BlockwiseLoss> begin_gaussian_contrastive(const ObjectiveSettings& settings,
                                                          const AnchorInput& anchors);
/// Computes its value and gradient as Objective::evaluate does, in one pass over blocks of anchors, as all candidates
/// are at hand: each pair is compared once in place of twice.
at::Tensor evaluate_gaussian_contrastive(const ObjectiveSettings& settings, const ObjectiveInput& input,
                                         AnchorRange own, const ObjectiveGradient& gradient);

/// Begins the contrastive loss of cosines over the global batch: supervised SimCSE's, and without hard negatives that
/// of the isotropy paper (eq. 1). With tau the temperature, and z, z+, z- premises, entailments and contradictions,
///   logits of row i = [cos(z_i, z_j+)/tau for all j | cos(z_i, z_j-)/tau for all j],
/// loss = mean over i of the cross entropy of row i against its column i. With both directions it is the mean of that
/// and of the same with the rows [cos(z_i+, z_j)/tau for all j], which have no hard negatives. Candidates j != i that
/// `false_negatives` leaves out (MaskedTexts) are not in row i; a known pair counts for either of its texts. The cosine
/// with a zero row is 0, and so is the gradient by one.
std::unique_ptr<BlockwiseLoss> begin_cosine_contrastive(const ObjectiveSettings& settings, const AnchorInput& anchors);

/// Begins SBERT's classification of labelled pairs, as Liao trains it. It is `weight` times the sum over the anchors'
/// own pairs of the cross entropy of the logits of a PairClassifier against the label; the classifier's parameters are
/// the objective's. The loss has the weight 1 / batch.
std::unique_ptr<BlockwiseLoss> begin_pair_classification(const ObjectiveSettings& settings, const AnchorInput& anchors,
                                                         double weight);

/// Begins Liao's supervised contrastive loss (eq. 2) over the global batch of labelled pairs. With a_i the premise of
/// an entailment pair, x_j hypotheses, tau the temperature, P_i and Q_i as in ContrastSets,
///   L_i = -1/|P_i| * sum over p in P_i of log( exp(a_i . x_p / tau) / sum over k in P_i and Q_i of exp(a_i . x_k /
///   tau) ),
/// of vectors as they are, without normalisation; loss = mean of L_i over the anchors of the batch, 0 where it has
/// none. Hypotheses that `false_negatives` leaves out (masked_hypotheses) are not in Q_i. They are taken out of those
/// that a limit of negatives has chosen.
std::unique_ptr<BlockwiseLoss> begin_supervised_contrastive(const ObjectiveSettings& settings,
                                                            const AnchorInput& anchors);

/// Begins the loss of Liao's baselines "Augment": the classification of the batch's pairs and of further ones. For each
/// anchor i of ContrastSets these join its premise with the hypotheses that the supervised contrastive loss compares it
/// with. Its own hypothesis is left out, as that pair is one of the batch's. A hypothesis of the anchor's group keeps
/// its label; one of another group has `other_premise_label`, of which the text says nothing. loss = mean over all
/// these pairs of the cross entropy.
std::unique_ptr<BlockwiseLoss> begin_augmented_classification(const ObjectiveSettings& settings,
                                                              const AnchorInput& anchors);

}  // namespace gausscse
