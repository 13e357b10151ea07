#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "model/kernels/candidate_mask.hpp"
#include "model/objective/objective.hpp"
#include "model/objective/objective_settings.hpp"

namespace gausscse {

/// Texts that are no negatives of the anchors of one role, by which a contrastive loss leaves candidates out. Candidate
/// j of a role is left out for anchor i, in the denominator and in the gradient, where j != i and its text is
///
///  - the text of anchor i or of its positive, with `mask_equal` and `mask_known`,
///  - with `mask_known` also one that the training examples name as entailed by the text of anchor i.
///
/// So a contradiction that is the positive of another example stays in the row of its own. Memory grows with the batch
/// and its entailed texts, not with pairs of examples.
///
///     const MaskedTexts texts(settings.false_negatives, anchors.labels, anchors.own, role::premise, role::premise);
///     if (texts.exist()) choice.left_out = texts.left_out(role::entailment, block.first, block.count());
class MaskedTexts {
 public:
  /// Takes the texts of anchors `own` of `anchor_role`: premises, whose positives are the entailments, or the other way
  /// round. Known pairs count for an anchor whose text is the pair's `known_by`: by its premise, or by its entailment,
  /// for losses whose anchors are entailments and positives premises.
  MaskedTexts(FalseNegatives rule, const ExampleLabels& labels, AnchorRange own, std::int64_t anchor_role,
              std::int64_t known_by);

  /// Returns false where the rule keeps all candidates.
  bool exist() const { return anchors_.defined(); }
  /// Returns kernels::AnchorTexts of the anchors: int64 [anchors, 4] on the CPU.
  const at::Tensor& anchors() const { return anchors_; }
  /// Returns the texts that the ranges of `anchors` are of: int64 [known], on the CPU.
  const at::Tensor& known() const { return known_; }
  /// Returns the candidates of [first, first + count) that are left out: bool [anchors, count] on the CPU.
  at::Tensor left_out(std::int64_t candidate_role, std::int64_t first, std::int64_t count) const;
  /// Returns the number of pairs of an anchor and a candidate of this role that are left out.
  std::int64_t count(std::int64_t candidate_role) const;

 private:
  const kernels::AnchorTexts* of_anchors() const;

  AnchorRange own_;
  at::Tensor texts_, anchors_, known_;
};

/// Returns the texts of the premises of labelled pairs, for Liao's loss. All entailments of a premise are positives of
/// it: those of the batch, or of the training examples. A hypothesis of the anchor's own premise is what its label
/// says: only those of other premises may be left out.
MaskedTexts masked_hypotheses(FalseNegatives rule, ExampleLabels labels, AnchorRange own);

/// Returns the pairs of an anchor and a candidate of the batch that an objective leaves out, of all of its losses.
/// Pairs of supervised_contrastive count before its limits choose among them.
std::int64_t count_left_out(const ObjectiveSettings& settings, const ExampleLabels& labels);

}  // namespace gausscse
