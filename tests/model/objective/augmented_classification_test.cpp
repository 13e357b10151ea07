#include "model/objective/augmented_classification.hpp"

#include <cmath>

#include "model/objective/pair_classification.hpp"
#include "tests/model/objective/labelled_batch.hpp"
#include "tests/model/objective/labelled_brute_force.hpp"

namespace gausscse {
namespace {

using testing_support::brute_force_sets;
using testing_support::expect_derivatives;
using testing_support::expect_derivatives_along_directions;
using testing_support::LabelledBatch;

constexpr std::int64_t width = LabelledBatch::width, inputs = 3 * width, hidden = 7;
constexpr std::int64_t parameter_count = hidden * inputs + hidden + 3 * hidden + 3;

/// Cross entropy of one pair against a label, in plain loops; with tanh between the layers.
double cross_entropy(const LabelledBatch& batch, std::int64_t premise, std::int64_t hypothesis, std::int64_t label) {
  const auto* hidden_weight = batch.input.parameters.const_data_ptr<double>();
  const double* hidden_bias = hidden_weight + hidden * inputs;
  const double* output_weight = hidden_bias + hidden;
  const double* output_bias = output_weight + 3 * hidden;
  double features[inputs], logits[3], total = 0;
  for (std::int64_t d = 0; d < width; ++d) {
    features[d] = batch.value(0, premise, d);
    features[width + d] = batch.value(1, hypothesis, d);
    features[2 * width + d] = std::abs(features[d] - features[width + d]);
  }
  for (std::int64_t k = 0; k < 3; ++k) {
    logits[k] = output_bias[k];
    for (std::int64_t h = 0; h < hidden; ++h) {
      double x = hidden_bias[h];
      for (std::int64_t f = 0; f < inputs; ++f) x += hidden_weight[h * inputs + f] * features[f];
      logits[k] += output_weight[k * hidden + h] * std::tanh(x);
    }
    total += std::exp(logits[k]);
  }
  return std::log(total) - logits[label];
}

/// Returns what the pairs and anchors in `own` contribute.
double brute_force(const LabelledBatch& batch, const AugmentedClassificationSettings& settings, AnchorRange own) {
  const auto label_of = [&](std::int64_t i) { return batch.labels[static_cast<std::size_t>(i)]; };
  const auto group_of = [&](std::int64_t i) { return batch.groups[static_cast<std::size_t>(i)]; };
  double sum = 0;
  for (std::int64_t i = own.begin; i < own.end; ++i) sum += cross_entropy(batch, i, i, label_of(i));
  std::int64_t pairs = batch.pairs();
  for (const auto& [anchor, positives, negatives] :
       brute_force_sets(batch.labels, batch.groups, settings.limits, batch.input.step)) {
    pairs += static_cast<std::int64_t>(positives.size() + negatives.size()) - 1;
    if (anchor < own.begin || anchor >= own.end) continue;
    for (const std::int64_t p : positives)
      if (p != anchor) sum += cross_entropy(batch, anchor, p, 0);
    for (const std::int64_t n : negatives) {
      const std::int64_t other = settings.other_premise_label == OtherPremiseLabel::neutral ? 1 : 2;
      sum += cross_entropy(batch, anchor, n, group_of(n) == group_of(anchor) ? label_of(n) : other);
    }
  }
  return sum / static_cast<double>(pairs);
}

constexpr auto tanh_between = ClassifierActivation::tanh;
const std::vector<AugmentedClassificationSettings> augmented_settings{
    {.activation = tanh_between},
    {.activation = tanh_between, .limits = {3, 3}},
    {.activation = tanh_between, .limits = {1, {}}, .other_premise_label = OtherPremiseLabel::contradiction}};

TEST(AugmentedClassification, HasTheLossAndTheGradientOfItsDefinition) {
  const LabelledBatch batch(parameter_count);
  for (const AugmentedClassificationSettings& settings : augmented_settings) {
    const AugmentedClassification objective(settings, width);
    for (const AnchorRange own : {batch.all(), AnchorRange{4, 9}}) {
      const ObjectiveGradient gradient = batch.empty_gradient();
      EXPECT_NEAR(objective.evaluate(batch.input, own, gradient).item<double>(), brute_force(batch, settings, own),
                  1e-12);
      const auto loss = [&] { return brute_force(batch, settings, own); };
      expect_derivatives(batch.input.embeddings, gradient.embeddings, loss);
      expect_derivatives(batch.input.parameters, gradient.parameters, loss);
    }
  }
}

/// Anchors go through the classifier in several parts here: 20 with 100 hypotheses each.
TEST(AugmentedClassification, OfManyAnchorsHasTheLossAndTheGradientOfItsDefinition) {
  const LabelledBatch batch = LabelledBatch::of_many(100, parameter_count);
  ASSERT_GT(batch.anchors(), 45);
  for (const AugmentedClassificationSettings& settings : augmented_settings) {
    const AugmentedClassification objective(settings, width);
    const ObjectiveGradient gradient = batch.empty_gradient();
    const auto loss = [&] { return brute_force(batch, settings, batch.all()); };
    EXPECT_NEAR(objective.evaluate(batch.input, batch.all(), gradient).item<double>(), loss(), 1e-12);
    expect_derivatives_along_directions(batch.input.embeddings, gradient.embeddings, loss);
    expect_derivatives_along_directions(batch.input.parameters, gradient.parameters, loss);
  }
}

TEST(AugmentedClassification, OfABatchWithoutAnAnchorIsItsPairsAlone) {
  LabelledBatch batch(parameter_count);
  for (std::int64_t& label : batch.labels) label = label == 0 ? 2 : label;
  batch.set_labels();
  const ObjectiveGradient expected = batch.empty_gradient(), found = batch.empty_gradient();
  const double loss = PairClassification(tanh_between, width).evaluate(batch.input, {0, 14}, expected).item<double>();
  EXPECT_DOUBLE_EQ(
      AugmentedClassification(augmented_settings[0], width).evaluate(batch.input, {0, 14}, found).item<double>(), loss);
  EXPECT_TRUE(found.embeddings.equal(expected.embeddings));
  EXPECT_TRUE(found.parameters.equal(expected.parameters));
}

TEST(AugmentedClassification, HasTheClassifierOfPairs) {
  const AugmentedClassification objective({}, width);
  const auto expected = PairClassification(ClassifierActivation::none, width).parameters();
  ASSERT_EQ(objective.parameters().size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(objective.parameters()[i].name, expected[i].name);
  EXPECT_TRUE(objective.needs_labels());
  EXPECT_EQ(objective.roles(), 2);
}

}  // namespace
}  // namespace gausscse
