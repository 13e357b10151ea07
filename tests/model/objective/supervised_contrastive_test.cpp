#include <cmath>

#include "model/objective/configured_objective.hpp"
#include "tests/model/objective/labelled_batch.hpp"
#include "tests/model/objective/labelled_brute_force.hpp"

namespace gausscse {
namespace {

/// Returns the part of the loss that the anchors in `own` contribute, in plain loops: one softmax for each positive.
double brute_force_contrast(const LabelledBatch& batch, const ObjectiveSettings& settings, AnchorRange own) {
  const auto sets =
      brute_force_sets(batch.labels, batch.groups, {settings.positives, settings.negatives}, batch.input.step);
  const auto exponential = [&](std::int64_t anchor, std::int64_t hypothesis) {
    double product = 0;
    for (std::int64_t d = 0; d < LabelledBatch::width; ++d)
      product += batch.value(0, anchor, d) * batch.value(1, hypothesis, d);
    return std::exp(product / settings.temperature);
  };
  double loss = 0;
  for (const auto& [anchor, positives, negatives] : sets) {
    if (anchor < own.begin || anchor >= own.end) continue;
    double sum = 0, of_anchor = 0;
    for (const std::int64_t k : positives) sum += exponential(anchor, k);
    for (const std::int64_t k : negatives) sum += exponential(anchor, k);
    for (const std::int64_t p : positives) of_anchor -= std::log(exponential(anchor, p) / sum);
    loss += of_anchor / static_cast<double>(positives.size());
  }
  return sets.empty() ? 0 : loss / static_cast<double>(sets.size());
}

constexpr auto supervised = ObjectiveKind::supervised_contrastive;
const std::vector<ObjectiveSettings> contrastive_settings{
    {.kind = supervised, .temperature = 1},
    {.kind = supervised, .temperature = 0.4},
    {.kind = supervised, .temperature = 1, .positives = 3},
    {.kind = supervised, .temperature = 0.7, .positives = 3, .negatives = 3},
    {.kind = supervised, .temperature = 1, .positives = 1, .negatives = 1},
    {.kind = supervised, .temperature = 1, .negatives = 2}};

TEST(SupervisedContrastive, HasTheLossAndTheGradientOfItsDefinition) {
  for (const ObjectiveSettings& settings : contrastive_settings) {
    const ConfiguredObjective objective(settings);
    for (std::int64_t seed = 0; seed < 2; ++seed) {
      const LabelledBatch batch(0, seed);
      // Of the group 3 some anchors lie in the first share, some in the second.
      for (const AnchorRange own : {batch.all(), AnchorRange{0, 4}, AnchorRange{4, 14}}) {
        const ObjectiveGradient gradient = batch.empty_gradient();
        EXPECT_NEAR(objective.evaluate(batch.input, own, gradient).item<double>(),
                    brute_force_contrast(batch, settings, own), 1e-12);
        expect_derivatives(batch.input.embeddings, gradient.embeddings,
                           [&] { return brute_force_contrast(batch, settings, own); });
      }
    }
  }
}

/// More of them than one task of a CPU computes.
TEST(SupervisedContrastive, OfManyAnchorsHasTheLossAndTheGradientOfItsDefinition) {
  const LabelledBatch batch = LabelledBatch::of_many(140);
  ASSERT_GT(batch.anchors(), 70);
  for (const ObjectiveSettings& settings : contrastive_settings) {
    const ConfiguredObjective objective(settings);
    const ObjectiveGradient gradient = batch.empty_gradient();
    const auto loss = [&] { return brute_force_contrast(batch, settings, batch.all()); };
    EXPECT_NEAR(objective.evaluate(batch.input, batch.all(), gradient).item<double>(), loss(), 1e-12);
    expect_derivatives_along_directions(batch.input.embeddings, gradient.embeddings, loss);
  }
}

TEST(SupervisedContrastive, IsTheSumOfItsShares) {
  const LabelledBatch batch;
  for (const ObjectiveSettings& settings : contrastive_settings) {
    const ConfiguredObjective objective(settings);
    const ObjectiveGradient whole = batch.empty_gradient(), part = batch.empty_gradient();
    const double loss = objective.evaluate(batch.input, batch.all(), whole).item<double>();
    double sum = 0;
    at::Tensor gradient = at::zeros_like(whole.embeddings);
    for (const AnchorRange own : {AnchorRange{0, 2}, AnchorRange{2, 2}, AnchorRange{2, 3}, AnchorRange{3, 14}}) {
      sum += objective.evaluate(batch.input, own, part).item<double>();
      gradient += part.embeddings;
    }
    EXPECT_NEAR(sum, loss, 1e-12);
    EXPECT_LE((gradient - whole.embeddings).abs().max().item<double>(), 1e-13);
  }
}

/// The program that this follows would divide by zero.
TEST(SupervisedContrastive, IsZeroWithoutAnAnchor) {
  LabelledBatch batch;
  for (std::int64_t& label : batch.labels) label = label == 0 ? 1 : label;
  batch.set_labels();
  for (const ObjectiveSettings& settings : contrastive_settings) {
    const ObjectiveGradient gradient = batch.empty_gradient();
    EXPECT_EQ(ConfiguredObjective(settings).evaluate(batch.input, {0, 14}, gradient).item<double>(), 0);
    EXPECT_EQ(gradient.embeddings.abs().max().item<double>(), 0);
  }
}

/// Vectors are not normalised: products of some hundreds must not overflow.
TEST(SupervisedContrastive, HoldsForLongVectorsInFloat32) {
  LabelledBatch batch;
  batch.input.embeddings *= 30;
  ObjectiveInput narrow = batch.input;
  narrow.embeddings = batch.input.embeddings.to(at::kFloat);
  ObjectiveInput truth = batch.input;
  truth.embeddings = narrow.embeddings.to(at::kDouble);
  const ConfiguredObjective objective({.kind = supervised, .temperature = 0.5});
  const ObjectiveGradient expected = batch.empty_gradient(), found{at::empty_like(narrow.embeddings)};
  const double loss = objective.evaluate(truth, {0, 14}, expected).item<double>();
  EXPECT_GT(loss, 500);
  EXPECT_NEAR(objective.evaluate(narrow, {0, 14}, found).item<double>(), loss, 1e-4 * loss);
  EXPECT_LE((found.embeddings.to(at::kDouble) - expected.embeddings).abs().max().item<double>(),
            1e-3 * expected.embeddings.abs().max().item<double>());
}

TEST(SupervisedContrastive, AsksForLabels) {
  const ConfiguredObjective objective({.kind = supervised});
  EXPECT_TRUE(objective.needs_labels());
  EXPECT_EQ(objective.roles(), 2);
  EXPECT_TRUE(objective.parameters().empty());
  LabelledBatch batch;
  batch.input.labels.groups = at::Tensor();
  EXPECT_THROW(objective.evaluate(batch.input, {0, 3}, batch.empty_gradient()), std::logic_error);
}

}  // namespace
}  // namespace gausscse
