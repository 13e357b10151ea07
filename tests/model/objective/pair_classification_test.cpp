#include "model/objective/pair_classification.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {
namespace {

constexpr std::int64_t pairs = 7, width_of_pair = 5, inputs = 3 * width_of_pair, hidden = 7;

struct Example {
  ObjectiveInput input;
  Example() {
    at::manual_seed(11);
    input.embeddings = at::randn({2, pairs, width_of_pair}, at::kDouble);
    input.labels = {at::tensor({0, 1, 2, 2, 1, 0, 2}, at::kLong), at::zeros({pairs}, at::kLong)};
    input.parameters = at::randn({hidden * inputs + hidden + 3 * hidden + 3}, at::kDouble) * 0.4;
  }
};

double activate(double x, ClassifierActivation activation) {
  if (activation == ClassifierActivation::relu) return x > 0 ? x : 0;
  return activation == ClassifierActivation::tanh ? std::tanh(x) : x;
}

/// Returns the loss of the examples [begin, end), divided by the whole batch, in plain loops.
double brute_force(const ObjectiveInput& input, ClassifierActivation activation, std::int64_t begin, std::int64_t end) {
  const auto* values = input.parameters.const_data_ptr<double>();
  const double* hidden_weight = values;
  const double* hidden_bias = hidden_weight + hidden * inputs;
  const double* output_weight = hidden_bias + hidden;
  const double* output_bias = output_weight + 3 * hidden;
  double sum = 0;
  for (std::int64_t i = begin; i < end; ++i) {
    double features[inputs], logits[3], total = 0;
    for (std::int64_t d = 0; d < width_of_pair; ++d) {
      const double u = input.embeddings[0][i][d].item<double>(), v = input.embeddings[1][i][d].item<double>();
      features[d] = u;
      features[width_of_pair + d] = v;
      features[2 * width_of_pair + d] = std::abs(u - v);
    }
    for (std::int64_t k = 0; k < 3; ++k) {
      logits[k] = output_bias[k];
      for (std::int64_t h = 0; h < hidden; ++h) {
        double x = hidden_bias[h];
        for (std::int64_t f = 0; f < inputs; ++f) x += hidden_weight[h * inputs + f] * features[f];
        logits[k] += output_weight[k * hidden + h] * activate(x, activation);
      }
      total += std::exp(logits[k]);
    }
    sum += std::log(total) - logits[input.labels.labels[i].item<std::int64_t>()];
  }
  return sum / pairs;
}

TEST(PairClassification, HasTheLossAndTheGradientOfItsDefinition) {
  for (const auto& [activation, word] : names<ClassifierActivation>) {
    SCOPED_TRACE(word);
    const Example example;
    const PairClassification objective(activation, width_of_pair);
    for (const AnchorRange own : {AnchorRange{0, pairs}, AnchorRange{2, 5}}) {
      const ObjectiveGradient gradient{at::full_like(example.input.embeddings, 9),
                                       at::full_like(example.input.parameters, 9)};
      EXPECT_NEAR(objective.evaluate(example.input, own, gradient).item<double>(),
                  brute_force(example.input, activation, own.begin, own.end), 1e-12);
      const auto compare = [&](const at::Tensor& values, const at::Tensor& found) {
        auto* x = values.mutable_data_ptr<double>();
        for (std::int64_t i = 0; i < values.numel(); ++i) {
          const double before = x[i], step = 1e-6;
          x[i] = before + step;
          const double above = brute_force(example.input, activation, own.begin, own.end);
          x[i] = before - step;
          const double below = brute_force(example.input, activation, own.begin, own.end);
          x[i] = before;
          ASSERT_NEAR(found.flatten()[i].item<double>(), (above - below) / (2 * step), 1e-8) << i;
        }
      };
      compare(example.input.embeddings, gradient.embeddings);
      compare(example.input.parameters, gradient.parameters);
    }
  }
}

TEST(PairClassification, TellsItsParametersAsTheyLie) {
  const std::vector<ParameterSpec> specs = PairClassification(ClassifierActivation::none, width_of_pair).parameters();
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> expected{
      {"objective.classifier.hidden.weight", {hidden, inputs}},
      {"objective.classifier.hidden.bias", {hidden}},
      {"objective.classifier.output.weight", {3, hidden}},
      {"objective.classifier.output.bias", {3}}};
  ASSERT_EQ(specs.size(), expected.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    EXPECT_EQ(specs[i].name, expected[i].first);
    EXPECT_EQ(specs[i].shape, expected[i].second);
  }
}

TEST(PairClassification, AsksForLabelsOfTheWholeBatch) {
  Example example;
  const PairClassification objective(ClassifierActivation::none, width_of_pair);
  EXPECT_TRUE(objective.needs_labels());
  EXPECT_EQ(objective.roles(), 2);
  const ObjectiveGradient gradient{at::empty_like(example.input.embeddings), at::empty_like(example.input.parameters)};
  example.input.labels.labels = example.input.labels.labels.narrow(0, 0, 3);
  EXPECT_THROW(objective.evaluate(example.input, {0, 3}, gradient), std::logic_error);
}

}  // namespace
}  // namespace gausscse
