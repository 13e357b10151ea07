#include "model/objective/pair_classifier.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones_like.h>

#include <stdexcept>
#include <utility>

namespace gausscse {

namespace {

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

/// Returns the derivative of an activation, from its value `y`.
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

}  // namespace

std::vector<ParameterSpec> PairClassifier::parameters(std::int64_t width) {
  const std::int64_t inputs = 3 * width, hidden = inputs / 2;
  return {{"objective.classifier.hidden.weight", {hidden, inputs}},
          {"objective.classifier.hidden.bias", {hidden}},
          {"objective.classifier.output.weight", {labels, hidden}},
          {"objective.classifier.output.bias", {labels}}};
}

PairClassifier::Layers::Layers(const at::Tensor& flat, std::int64_t width) {
  const std::int64_t inputs = 3 * width, hidden_width = inputs / 2;
  std::int64_t offset = 0;
  const auto take = [&](std::int64_t count) { return flat.narrow(0, std::exchange(offset, offset + count), count); };
  hidden.weight = take(hidden_width * inputs).view({hidden_width, inputs});
  hidden.bias = take(hidden_width);
  output.weight = take(labels * hidden_width).view({labels, hidden_width});
  output.bias = take(labels);
}

PairClassifier::PairClassifier(const at::Tensor& flat, std::int64_t width, ClassifierActivation activation)
    : layers_(flat, width), width_(width), activation_(activation) {}

PairClassifier::Pass PairClassifier::forward(const at::Tensor& premise, const at::Tensor& hypothesis) const {
  const auto through = [](const Linear& linear, const at::Tensor& x) {
    return at::addmm(linear.bias, x, linear.weight.t());
  };
  Pass pass{premise, hypothesis, at::cat({premise, hypothesis, (premise - hypothesis).abs()}, 1), {}, {}};
  pass.hidden = activate(through(layers_.hidden, pass.features), activation_);
  pass.log_probabilities = through(layers_.output, pass.hidden).to(at::kDouble).log_softmax(1);
  return pass;
}

PairClassifier::Gradient PairClassifier::backward(const Pass& pass, const at::Tensor& by_logits,
                                                  const at::Tensor& by_parameters) const {
  const Layers by_layers(by_parameters, width_);
  const auto add = [](const Linear& to, const at::Tensor& by_outputs, const at::Tensor& inputs) {
    to.weight.add_(by_outputs.t().mm(inputs));
    to.bias.add_(by_outputs.sum(0));
  };
  add(by_layers.output, by_logits, pass.hidden);
  const at::Tensor by_hidden = by_logits.mm(layers_.output.weight) * slope(pass.hidden, activation_);
  add(by_layers.hidden, by_hidden, pass.features);
  const at::Tensor by_features = by_hidden.mm(layers_.hidden.weight);
  const at::Tensor by_difference = by_features.narrow(1, 2 * width_, width_) * (pass.premise - pass.hypothesis).sign();
  return {by_features.narrow(1, 0, width_) + by_difference, by_features.narrow(1, width_, width_) - by_difference};
}

}  // namespace gausscse
