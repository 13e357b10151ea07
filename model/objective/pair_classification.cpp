#include <ATen/core/Tensor.h>
#include <ATen/ops/full.h>

#include "model/device/transfers.hpp"
#include "model/objective/losses.hpp"
#include "model/objective/pair_classifier.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

/// Needs no candidates: a pair's loss is its own.
class ClassificationLoss : public BlockwiseLoss {
 public:
  ClassificationLoss(ClassifierActivation activation, const AnchorInput& anchors, double weight)
      : anchors_(anchors), classifier_(anchors.parameters, anchors.rows.size(2), activation), weight_(weight) {
    // In one task, so that LibTorch uses one thread of a CPU: the number of threads decides how it cuts a product.
    run_tasks(1, 1, [&](std::int64_t, int) { forward(); });
  }

  void accumulate(const CandidateRows&) override {}
  at::Tensor loss() const override { return loss_; }
  void backward(const CandidateRows&, at::Tensor, at::Tensor) override {}

  void finish(const ObjectiveGradient& gradient) override {
    run_tasks(1, 1, [&](std::int64_t, int) { backward(gradient); });
  }

 private:
  void forward() {
    pass_ = classifier_.forward(anchors_.rows[0], anchors_.rows[1]);
    const at::Tensor labels = ops::to_device(anchors_.labels.labels.narrow(0, anchors_.own.begin, anchors_.own.count()),
                                             anchors_.rows.device())
                                  .unsqueeze(1);
    loss_ = pass_.log_probabilities.gather(1, labels).sum().mul_(-weight_);
    by_logits_ = pass_.log_probabilities.exp();
    by_logits_.scatter_add_(1, labels, at::full(labels.sizes(), -1.0, by_logits_.options()));
    by_logits_ = by_logits_.mul_(weight_).to(pass_.features.scalar_type());
  }

  void backward(const ObjectiveGradient& gradient) {
    const PairClassifier::Gradient by_sentences = classifier_.backward(pass_, by_logits_, gradient.parameters);
    gradient.embeddings[role::premise].add_(by_sentences.premise);
    gradient.embeddings[role::hypothesis].add_(by_sentences.hypothesis);
  }

  AnchorInput anchors_;
  PairClassifier classifier_;
  double weight_;
  PairClassifier::Pass pass_;
  at::Tensor by_logits_, loss_;
};

}  // namespace

std::unique_ptr<BlockwiseLoss> begin_pair_classification(const ObjectiveSettings& settings, const AnchorInput& anchors,
                                                         double weight) {
  return std::make_unique<ClassificationLoss>(settings.activation, anchors, weight);
}

}  // namespace gausscse
