#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include "model/device/transfers.hpp"
#include "model/objective/blockwise_cross_entropy.hpp"
#include "model/objective/contrast_sets.hpp"
#include "model/objective/losses.hpp"
#include "model/objective/masked_texts.hpp"

namespace gausscse {

namespace {

class SupervisedContrastiveLoss : public BlockwiseLoss {
 public:
  SupervisedContrastiveLoss(const ObjectiveSettings& settings, const AnchorInput& input)
      : sets_(input.labels, input.own, {settings.positives, settings.negatives}, input.step, input.rows.device()),
        rows_of_anchors_(sets_.anchor_rows(input.own.begin)),
        anchors_(input.rows[role::premise].index_select(0, rows_of_anchors_)),
        by_anchors_(at::zeros_like(anchors_)),
        share_(sets_.positive_counts().to(at::kDouble).reciprocal_().to(anchors_.scalar_type()).unsqueeze(1)),
        masked_(masked_hypotheses(settings.false_negatives, input.labels, input.own)),
        groups_(input.labels.groups),
        anchor_numbers_(at::tensor(sets_.anchors(), at::kLong)),
        first_own_(input.own.begin),
        weight_(sets_.anchors_of_batch() == 0 ? 0 : 1.0 / static_cast<double>(sets_.anchors_of_batch())),
        cross_entropy_(anchors_, 0, {.temperature = settings.temperature, .hard_negative_weight = 0}) {}

  void accumulate(const CandidateRows& block) override {
    const CandidateChoice choice = choice_of(block);
    cross_entropy_.accumulate(hypotheses_of(block), &choice);
  }

  at::Tensor loss() const override { return at::mul(cross_entropy_.loss(), weight_); }

  void backward(const CandidateRows& block, at::Tensor block_gradient, at::Tensor) override {
    const CandidateChoice choice = choice_of(block);
    cross_entropy_.backward(hypotheses_of(block), weight_, by_anchors_, block_gradient[role::hypothesis], &choice);
  }

  void finish(const ObjectiveGradient& gradient) override {
    gradient.embeddings[role::premise].index_add_(0, rows_of_anchors_, by_anchors_);
  }

 private:
  static CandidateBlock hypotheses_of(const CandidateRows& block) {
    return {block.rows[role::hypothesis], block.first, true};
  }

  CandidateChoice choice_of(const CandidateRows& block) const {
    ContrastSets::Taken taken = sets_.among(block.first, block.count());
    if (masked_.exist()) {
      const at::Tensor of_other_premise = groups_.index_select(0, anchor_numbers_).unsqueeze(1) !=
                                          groups_.narrow(0, block.first, block.count()).unsqueeze(0);
      const at::Tensor left_out = masked_.left_out(role::hypothesis, block.first, block.count())
                                      .index_select(0, anchor_numbers_ - first_own_)
                                      .logical_and_(of_other_premise);
      taken.negative.logical_and_(ops::to_device(left_out, taken.negative.device()).logical_not());
    }
    return {taken.positive * share_, taken.positive.logical_or(taken.negative).logical_not_()};
  }

  ContrastSets sets_;
  at::Tensor rows_of_anchors_;  ///< int64 [anchors], among the rows that are given
  at::Tensor anchors_, by_anchors_;
  at::Tensor share_;  ///< [anchors, 1]: of each positive in the target
  MaskedTexts masked_;
  at::Tensor groups_, anchor_numbers_;  ///< on the CPU
  std::int64_t first_own_;
  double weight_;
  BlockwiseCrossEntropy cross_entropy_;
};

}  // namespace

std::unique_ptr<BlockwiseLoss> begin_supervised_contrastive(const ObjectiveSettings& settings,
                                                            const AnchorInput& anchors) {
  return std::make_unique<SupervisedContrastiveLoss>(settings, anchors);
}

}  // namespace gausscse
