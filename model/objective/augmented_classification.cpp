#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "model/device/transfers.hpp"
#include "model/objective/contrast_sets.hpp"
#include "model/objective/losses.hpp"
#include "model/objective/pair_classifier.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

/// Pairs that go through the classifier at once, which bounds memory.
constexpr std::int64_t pairs_at_once = 2048;

class AugmentedLoss : public BlockwiseLoss {
 public:
  AugmentedLoss(const ObjectiveSettings& settings, const AnchorInput& input)
      : settings_(settings),
        labels_(ops::to_device(input.labels.labels, input.rows.device())),
        groups_(ops::to_device(input.labels.groups, input.rows.device())),
        sets_(input.labels, input.own, {settings.positives, settings.negatives}, input.step, input.rows.device()),
        weight_(1.0 / static_cast<double>(input.batch + sets_.other_pairs_of_batch())),
        of_batch_(begin_pair_classification(settings, input, weight_)),
        numbers_(sets_.anchor_rows(0)),
        rows_of_anchors_(sets_.anchor_rows(input.own.begin)),
        anchors_(input.rows[role::premise].index_select(0, rows_of_anchors_)),
        by_anchors_(at::zeros_like(anchors_)),
        by_parameters_(at::zeros_like(input.parameters)),
        classifier_(input.parameters, input.rows.size(2), settings.activation),
        loss_(at::zeros({}, anchors_.options().dtype(at::kDouble))) {}

  void accumulate(const CandidateRows& block) override {
    for_each_part(block, [&](const Part& part) {
      loss_.sub_((part.pass.log_probabilities.gather(1, part.labels) * part.weights).sum());
    });
  }

  at::Tensor loss() const override { return at::add(of_batch_->loss(), loss_); }

  void backward(const CandidateRows& block, at::Tensor block_gradient, at::Tensor) override {
    const at::Tensor by_hypotheses = block_gradient[role::hypothesis];
    for_each_part(block, [&](const Part& part) {
      at::Tensor by_logits = part.pass.log_probabilities.exp();
      by_logits.scatter_add_(1, part.labels, at::full(part.labels.sizes(), -1.0, by_logits.options()));
      by_logits = by_logits.mul_(part.weights).to(anchors_.scalar_type());
      const PairClassifier::Gradient gradient = classifier_.backward(part.pass, by_logits, by_parameters_);
      const auto by_pair = [&](const at::Tensor& rows) { return rows.view({part.count, block.count(), rows.size(1)}); };
      by_anchors_.narrow(0, part.begin, part.count).add_(by_pair(gradient.premise).sum(1));
      by_hypotheses.add_(by_pair(gradient.hypothesis).sum(0));
    });
  }

  void finish(const ObjectiveGradient& gradient) override {
    of_batch_->finish(gradient);
    gradient.embeddings[role::premise].index_add_(0, rows_of_anchors_, by_anchors_);
    gradient.parameters.add_(by_parameters_);
  }

 private:
  /// Some anchors with all hypotheses of a block, pair by pair.
  struct Part {
    std::int64_t begin, count;  ///< anchors
    PairClassifier::Pass pass;
    at::Tensor labels;   ///< int64 [pairs, 1]
    at::Tensor weights;  ///< float64 [pairs, 1]: 0 for a pair that is not taken
  };

  template <typename Use>
  void for_each_part(const CandidateRows& block, const Use& use) {
    const std::int64_t anchors = anchors_.size(0), count = block.count(), width = anchors_.size(1);
    if (anchors == 0 || count == 0) return;
    const ContrastSets::Taken taken = sets_.among(block.first, count);
    const at::Tensor numbers = at::arange(block.first, block.first + count, numbers_.options());
    // The pair of an anchor with its own hypothesis is one of the batch's.
    const at::Tensor weights = taken.positive.logical_or(taken.negative)
                                   .logical_and_(numbers_.unsqueeze(1) != numbers)
                                   .to(at::kDouble)
                                   .mul_(weight_);
    const at::Tensor of_group = groups_.index_select(0, numbers_).unsqueeze(1) == groups_.narrow(0, block.first, count);
    const std::int64_t other =
        settings_.other_premise_label == OtherPremiseLabel::neutral ? neutral_label : contradiction_label;
    const at::Tensor labels =
        at::where(of_group, labels_.narrow(0, block.first, count), at::full({}, other, numbers_.options()));
    const std::int64_t at_once = std::max<std::int64_t>(1, pairs_at_once / count);
    // In one task, so that LibTorch uses one thread of a CPU: the number of threads decides how it cuts a product.
    run_tasks(1, 1, [&](std::int64_t, int) {
      for (std::int64_t begin = 0; begin < anchors; begin += at_once) {
        const std::int64_t rows = std::min(at_once, anchors - begin);
        const auto of_pairs = [&](const at::Tensor& values) {
          return values.expand({rows, count, width}).reshape({-1, width});
        };
        use(Part{begin, rows,
                 classifier_.forward(of_pairs(anchors_.narrow(0, begin, rows).unsqueeze(1)),
                                     of_pairs(block.rows[role::hypothesis].unsqueeze(0))),
                 labels.narrow(0, begin, rows).reshape({-1, 1}), weights.narrow(0, begin, rows).reshape({-1, 1})});
      }
    });
  }

  ObjectiveSettings settings_;
  at::Tensor labels_, groups_;  ///< labels and groups of the whole batch
  ContrastSets sets_;
  double weight_;
  std::unique_ptr<BlockwiseLoss> of_batch_;
  at::Tensor numbers_, rows_of_anchors_;  ///< int64 [anchors]: in the batch, and among the rows that are given
  at::Tensor anchors_, by_anchors_, by_parameters_;
  PairClassifier classifier_;
  at::Tensor loss_;  ///< loss of the pairs next to the batch's
};

}  // namespace

std::unique_ptr<BlockwiseLoss> begin_augmented_classification(const ObjectiveSettings& settings,
                                                              const AnchorInput& anchors) {
  return std::make_unique<AugmentedLoss>(settings, anchors);
}

}  // namespace gausscse
