#include "model/objective/configured_objective.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include "tests/model/objective/cosine_brute_force.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t labelled_batch = 12, labelled_width = 6;

const ObjectiveSettings of_contrast{
    .kind = ObjectiveKind::supervised_contrastive, .temperature = 0.7, .positives = 2, .negatives = 3};
const ObjectiveSettings of_augmented{.kind = ObjectiveKind::augmented_classification,
                                     .activation = ClassifierActivation::tanh,
                                     .positives = 3,
                                     .negatives = 2,
                                     .other_premise_label = OtherPremiseLabel::contradiction};
const ObjectiveSettings of_pairs{.kind = ObjectiveKind::pair_classification, .activation = ClassifierActivation::relu};
const ObjectiveSettings of_cosines{.kind = ObjectiveKind::cosine_contrastive, .temperature = 0.3};

struct Part {
  ObjectiveInput input;
  ObjectiveGradient gradient;
  double loss = 0;
};

/// Evaluates an objective over labelled pairs, whose third role is for terms with hard negatives. Its parameters are
/// the first of `parameters`.
Part evaluated(const ObjectiveSettings& settings, const at::Tensor& parameters, AnchorRange own) {
  const ConfiguredObjective objective(settings, labelled_width);
  at::manual_seed(4);
  Part part{{at::randn({3, labelled_batch, labelled_width}, at::kDouble).narrow(0, 0, objective.roles())}, {}};
  part.input.labels = {at::tensor({0, 0, 1, 0, 2, 0, 0, 1, 0, 2, 0, 0}, at::kLong),
                       at::tensor({0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, at::kLong)};
  part.input.step = {.seed = 3, .number = 8};
  part.gradient.embeddings = at::full_like(part.input.embeddings, 7);
  if (const std::int64_t count = count_elements(objective.parameters()); count > 0) {
    part.input.parameters = parameters.narrow(0, 0, count);
    part.gradient.parameters = at::full_like(part.input.parameters, 7);
  }
  part.loss = objective.evaluate(part.input, own, part.gradient).item<double>();
  return part;
}

/// Each term has its weight, its roles and its elements of the parameters, at once and block by block; one of weight 0
/// is not there.
TEST(ConfiguredObjective, IsTheWeightedSumOfItsTerms) {
  at::manual_seed(5);
  const AnchorRange own{2, 7};
  const at::Tensor parameters = at::randn({1000}, at::kDouble) * 0.3;
  const std::vector<ObjectiveTerm> terms{
      {"a", 0.25, of_contrast}, {"b", 3, of_augmented}, {"c", 0, of_pairs}, {"d", 0.5, of_cosines}, {"e", 2, of_pairs}};
  const ObjectiveSettings settings{.kind = ObjectiveKind::sum, .terms = terms};
  const ConfiguredObjective sum(settings, labelled_width);
  ASSERT_EQ(sum.roles(), 3);
  ASSERT_TRUE(sum.needs_labels());
  const std::int64_t count = count_elements(ConfiguredObjective(of_pairs, labelled_width).parameters());
  ASSERT_EQ(count_elements(sum.parameters()), 2 * count);
  ASSERT_EQ(count, 9 * 18 + 9 + 3 * 9 + 3);

  double loss = 0;
  const Part found = evaluated(settings, parameters, own);
  const at::Tensor embeddings = at::zeros_like(found.input.embeddings),
                   by_parameters = at::zeros_like(found.input.parameters);
  std::int64_t first = 0;
  for (const ObjectiveTerm& term : terms) {
    const Part part = evaluated(term.objective, parameters.narrow(0, first, count), own);
    loss += term.weight * part.loss;
    embeddings.narrow(0, 0, part.gradient.embeddings.size(0)).add_(part.gradient.embeddings, term.weight);
    if (!part.gradient.parameters.defined() || term.weight == 0) continue;
    by_parameters.narrow(0, first, count).add_(part.gradient.parameters, term.weight);
    first += count;
  }
  EXPECT_NEAR(found.loss, loss, 1e-12);
  EXPECT_LE(largest_difference(found.gradient.embeddings, embeddings), 1e-13);
  EXPECT_LE(largest_difference(found.gradient.parameters, by_parameters), 1e-13);

  const ObjectiveGradient streamed{at::zeros_like(embeddings), at::zeros_like(by_parameters)};
  const at::Tensor &rows = found.input.embeddings, by_anchors = streamed.embeddings.narrow(1, 2, 5);
  const auto blockwise = sum.begin(
      {rows.narrow(1, 2, 5), own, labelled_batch, found.input.labels, found.input.parameters, found.input.step});
  const std::pair<std::int64_t, std::int64_t> blocks[] = {{0, 5}, {5, 7}};
  for (const auto& [begin, size] : blocks) blockwise->accumulate({rows.narrow(1, begin, size), begin});
  for (const auto& [begin, size] : blocks)
    blockwise->backward({rows.narrow(1, begin, size), begin}, streamed.embeddings.narrow(1, begin, size), by_anchors);
  blockwise->finish({by_anchors, streamed.parameters});
  EXPECT_NEAR(blockwise->loss().item<double>(), loss, 1e-12);
  EXPECT_LE(largest_difference(streamed.embeddings, embeddings), 1e-13);
  EXPECT_LE(largest_difference(streamed.parameters, by_parameters), 1e-13);
}

/// GaussCSE's loss, and SimCSE's on the means next to it where that is asked for: weight 1, the same temperature, hard
/// negatives regardless of the loss's own denominator.
TEST(ConfiguredObjective, AddsSimcseOnMeans) {
  for (const auto& [loss, word] : names<Loss>) {
    for (const Similarity similarity : {Similarity::per_dimension, Similarity::joint}) {
      at::manual_seed(5);
      const at::Tensor x = at::randn({3, 11, 12}, at::kDouble) * 0.5;
      ObjectiveSettings settings{.temperature = 0.2, .loss = loss, .similarity = similarity};
      const ConfiguredObjective gaussian(settings);
      settings.with_simcse = true;
      const ConfiguredObjective both(settings);
      ASSERT_EQ(both.roles(), 3) << word;
      const LossAndGradient simcse = brute_force_cosine_contrastive(x, {.temperature = 0.2, .of_means = true});
      at::Tensor expected = at::zeros_like(x);
      const double of_gaussian =
          gaussian.evaluate({x.narrow(0, 0, gaussian.roles())}, {0, 11}, {expected.narrow(0, 0, gaussian.roles())})
              .item<double>();
      expected += simcse.gradient;
      at::Tensor gradient = at::full_like(x, 99);
      EXPECT_NEAR(both.evaluate({x}, {0, 11}, {gradient}).item<double>(), of_gaussian + simcse.loss, 1e-12) << word;
      EXPECT_LE(largest_difference(gradient, expected), 1e-13) << word;

      double parts = 0;
      at::Tensor part = at::full_like(x, 99), sum = at::zeros_like(x);
      for (const AnchorRange own : {AnchorRange{0, 3}, AnchorRange{3, 3}, AnchorRange{3, 11}}) {
        parts += both.evaluate({x}, own, {part}).item<double>();
        sum += part;
      }
      EXPECT_NEAR(parts, of_gaussian + simcse.loss, 1e-12) << word;
      EXPECT_LE(largest_difference(sum, expected), 1e-13) << word;
    }
  }
}

/// Next to a Gaussian loss, terms of cosines compare the means.
TEST(ConfiguredObjective, SumsGaussiansAndCosinesOfTheirMeans) {
  at::manual_seed(5);
  const at::Tensor x = at::randn({3, 11, 12}, at::kDouble) * 0.5;
  const ObjectiveSettings gaussian{.temperature = 0.2, .loss = Loss::ent_rev};
  const ObjectiveSettings cosine{
      .kind = ObjectiveKind::cosine_contrastive, .temperature = 0.1, .directions = Directions::both};
  ObjectiveSettings of_means = cosine;
  of_means.of_means = true;
  const LossAndGradient means = brute_force_cosine_contrastive(x, of_means);
  at::Tensor of_gaussian = at::zeros_like(x);
  const double gaussian_loss = ConfiguredObjective(gaussian)
                                   .evaluate({x.narrow(0, 0, 2)}, {0, 11}, {of_gaussian.narrow(0, 0, 2)})
                                   .item<double>();
  const ConfiguredObjective sum(
      {.kind = ObjectiveKind::sum, .terms = {{"means", 0.25, cosine}, {"gaussian", 2, gaussian}}});
  ASSERT_EQ(sum.roles(), 3);
  at::Tensor gradient = at::full_like(x, 99);
  EXPECT_NEAR(sum.evaluate({x}, {0, 11}, {gradient}).item<double>(), 2 * gaussian_loss + 0.25 * means.loss, 1e-12);
  EXPECT_LE(largest_difference(gradient, 2 * of_gaussian + 0.25 * means.gradient), 1e-13);
}

TEST(ConfiguredObjective, RefusesACosineOfGaussians) {
  EXPECT_THROW(ConfiguredObjective({.similarity = Similarity::cosine}), std::logic_error);
}

}  // namespace
}  // namespace gausscse
