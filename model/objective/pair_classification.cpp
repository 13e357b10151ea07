#include "model/objective/pair_classification.hpp"

#include <ATen/ATen.h>

#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

/// A linear layer within the flat parameters, weight [outputs, inputs] before bias [outputs].
struct Linear {
  at::Tensor weight, bias;

  at::Tensor forward(const at::Tensor& x) const { return at::addmm(bias, x, weight.t()); }
};

struct Classifier {
  Classifier(const at::Tensor& flat, std::int64_t inputs) {
    const std::int64_t hidden_width = inputs / 2;
    std::int64_t offset = 0;
    const auto take = [&](std::int64_t count) { return flat.narrow(0, std::exchange(offset, offset + count), count); };
    hidden.weight = take(hidden_width * inputs).view({hidden_width, inputs});
    hidden.bias = take(hidden_width);
    output.weight = take(PairClassification::labels * hidden_width).view({PairClassification::labels, hidden_width});
    output.bias = take(PairClassification::labels);
  }

  Linear hidden, output;
};

at::Tensor activate(const at::Tensor& x, ClassifierActivation activation) {
  switch (activation) {
    case ClassifierActivation::none:
      return x;
    case ClassifierActivation::relu:
      return x.relu();
    case ClassifierActivation::tanh:
      return x.tanh();
  }
  throw std::logic_error("no activation of this number");
}

/// Derivative of an activation, from its value `y`.
at::Tensor slope(const at::Tensor& y, ClassifierActivation activation) {
  switch (activation) {
    case ClassifierActivation::none:
      return at::ones_like(y);
    case ClassifierActivation::relu:
      return (y > 0).to(y.scalar_type());
    case ClassifierActivation::tanh:
      return 1 - y * y;
  }
  throw std::logic_error("no activation of this number");
}

/// Needs no candidates: a pair's loss is its own.
class ClassificationLoss : public BlockwiseLoss {
 public:
  ClassificationLoss(ClassifierActivation activation, const AnchorInput& anchors)
      : activation_(activation),
        anchors_(anchors),
        classifier_(anchors.parameters, 3 * anchors.rows.size(2)),
        weight_(1.0 / static_cast<double>(anchors.batch)) {
    // In one task, so that LibTorch uses one thread of a CPU: the number of threads decides how it cuts a product.
    run_tasks(1, 1, [&](std::int64_t, int) { forward(); });
  }

  void see(const CandidateRows&) override {}
  at::Tensor loss() const override { return loss_; }
  void differentiate(const CandidateRows&, at::Tensor) override {}

  void finish(const ObjectiveGradient& gradient) override {
    run_tasks(1, 1, [&](std::int64_t, int) { backward(gradient); });
  }

 private:
  void forward() {
    const at::Tensor u = anchors_.rows[0], v = anchors_.rows[1];
    features_ = at::cat({u, v, (u - v).abs()}, 1);
    hidden_ = activate(classifier_.hidden.forward(features_), activation_);
    const at::Tensor log_probabilities = classifier_.output.forward(hidden_).to(at::kDouble).log_softmax(1);
    const at::Tensor labels = anchors_.labels.labels.narrow(0, anchors_.own.begin, anchors_.own.count()).unsqueeze(1);
    loss_ = log_probabilities.gather(1, labels).sum().mul_(-weight_);
    by_logits_ = log_probabilities.exp();
    by_logits_.scatter_add_(1, labels, at::full(labels.sizes(), -1.0, log_probabilities.options()));
    by_logits_ = by_logits_.mul_(weight_).to(features_.scalar_type());
  }

  void backward(const ObjectiveGradient& gradient) {
    const Classifier by_parameters(gradient.parameters, features_.size(1));
    const auto add = [](const Linear& to, const at::Tensor& by_outputs, const at::Tensor& inputs) {
      to.weight.add_(by_outputs.t().mm(inputs));
      to.bias.add_(by_outputs.sum(0));
    };
    add(by_parameters.output, by_logits_, hidden_);
    const at::Tensor by_hidden = by_logits_.mm(classifier_.output.weight) * slope(hidden_, activation_);
    add(by_parameters.hidden, by_hidden, features_);
    const at::Tensor by_features = by_hidden.mm(classifier_.hidden.weight);
    const std::int64_t width = anchors_.rows.size(2);
    const at::Tensor by_difference =
        by_features.narrow(1, 2 * width, width) * (anchors_.rows[0] - anchors_.rows[1]).sign();
    gradient.embeddings[0].add_(by_features.narrow(1, 0, width) + by_difference);
    gradient.embeddings[1].add_(by_features.narrow(1, width, width) - by_difference);
  }

  ClassifierActivation activation_;
  AnchorInput anchors_;
  Classifier classifier_;
  double weight_;
  at::Tensor features_, hidden_, by_logits_, loss_;
};

}  // namespace

std::vector<ParameterSpec> PairClassification::parameters() const {
  const std::int64_t inputs = 3 * width_, hidden = inputs / 2;
  return {{"objective.classifier.hidden.weight", {hidden, inputs}},
          {"objective.classifier.hidden.bias", {hidden}},
          {"objective.classifier.output.weight", {labels, hidden}},
          {"objective.classifier.output.bias", {labels}}};
}

std::unique_ptr<BlockwiseLoss> PairClassification::begin(const AnchorInput& anchors) const {
  GAUSSCSE_CHECK(anchors.rows.size(2) == width_, "rows are ", width_, " wide");
  return std::make_unique<ClassificationLoss>(activation_, anchors);
}

}  // namespace gausscse
