#include "model/objective/make_objective.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <gtest/gtest.h>

#include "model/objective/augmented_classification.hpp"
#include "model/objective/gaussian_contrastive.hpp"
#include "model/objective/supervised_contrastive.hpp"
#include "tests/model/objective/cosine_brute_force.hpp"

namespace gausscse {
namespace {

using testing_support::brute_force_cosine_contrastive;
using testing_support::largest_difference;
using testing_support::LossAndGradient;

/// Of three roles, float64.
at::Tensor random_embeddings(std::int64_t batch, std::int64_t width) {
  at::manual_seed(5);
  return at::randn({3, batch, width}, at::kDouble) * 0.5;
}

TEST(MakeObjective, PassesTheSettingsOfACosineOn) {
  const CosineContrastiveSettings settings{
      .temperature = 0.3, .hard_negative_weight = 0.8, .directions = Directions::both};
  const at::Tensor x = random_embeddings(9, 8);
  const auto made = make_objective({.kind = ObjectiveKind::cosine_contrastive,
                                    .temperature = 0.3,
                                    .hard_negatives = true,
                                    .hard_negative_weight = 0.8,
                                    .directions = Directions::both},
                                   8);
  at::Tensor gradient = at::empty_like(x);
  ASSERT_EQ(made->roles(), 3);
  EXPECT_NEAR(made->evaluate({x}, {0, 9}, {gradient}).item<double>(), brute_force_cosine_contrastive(x, settings).loss,
              1e-12);
  EXPECT_EQ(make_objective({.kind = ObjectiveKind::cosine_contrastive, .hard_negatives = false}, 8)->roles(), 2);
}

/// Weights, limits, temperature, activation and label reach what they are for; a term of weight 0 is not there.
TEST(MakeObjective, PassesTheSettingsOfLabelledPairsOn) {
  at::manual_seed(4);
  ObjectiveInput input{at::randn({2, 12, 6}, at::kDouble)};
  input.labels = {at::tensor({0, 0, 1, 0, 2, 0, 0, 1, 0, 2, 0, 0}, at::kLong),
                  at::tensor({0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}, at::kLong)};
  input.step = {.seed = 3, .number = 8};
  const SupervisedContrastive contrast({.temperature = 0.7, .limits = {2, 3}});
  const AugmentedClassification augmented({.activation = ClassifierActivation::tanh,
                                           .limits = {3, 2},
                                           .other_premise_label = OtherPremiseLabel::contradiction},
                                          6);
  const auto value = [&](const Objective& objective) {
    ObjectiveInput of_objective = input;
    at::manual_seed(5);
    const std::int64_t count = count_elements(objective.parameters());
    if (count > 0) of_objective.parameters = at::randn({count}, at::kDouble) * 0.3;
    const ObjectiveGradient gradient{at::empty_like(input.embeddings),
                                     count > 0 ? at::empty_like(of_objective.parameters) : at::Tensor()};
    return objective.evaluate(of_objective, {0, 12}, gradient).item<double>();
  };
  const ObjectiveSettings of_contrast{
      .kind = ObjectiveKind::supervised_contrastive, .temperature = 0.7, .positives = 2, .negatives = 3};
  const ObjectiveSettings of_augmented{.kind = ObjectiveKind::augmented_classification,
                                       .activation = ClassifierActivation::tanh,
                                       .positives = 3,
                                       .negatives = 2,
                                       .other_premise_label = OtherPremiseLabel::contradiction};
  EXPECT_DOUBLE_EQ(value(*make_objective(of_contrast, 6)), value(contrast));
  EXPECT_DOUBLE_EQ(value(*make_objective(of_augmented, 6)), value(augmented));
  ObjectiveSettings sum{.kind = ObjectiveKind::sum, .terms = {{"a", 0.25, of_contrast}, {"b", 3, of_augmented}}};
  EXPECT_NEAR(value(*make_objective(sum, 6)), 0.25 * value(contrast) + 3 * value(augmented), 1e-12);
  sum.terms[1].weight = 0;
  EXPECT_TRUE(make_objective(sum, 6)->parameters().empty());
  EXPECT_NEAR(value(*make_objective(sum, 6)), 0.25 * value(contrast), 1e-12);
}

/// GaussCSE's loss, and SimCSE's on the means next to it where that is asked for: weight 1, the same temperature, hard
/// negatives regardless of the loss's own denominator.
TEST(MakeObjective, AddsSimcseOnMeans) {
  for (const auto& [loss, word] : names<Loss>) {
    for (const Similarity similarity : {Similarity::per_dimension, Similarity::joint}) {
      const at::Tensor x = random_embeddings(11, 12);
      ObjectiveSettings settings{.temperature = 0.2, .loss = loss, .similarity = similarity};
      const GaussianContrastive gaussian(loss, similarity, 0.2);
      ASSERT_EQ(make_objective(settings, 12)->roles(), gaussian.roles()) << word;
      settings.with_simcse = true;
      const auto both = make_objective(settings, 12);
      ASSERT_EQ(both->roles(), 3) << word;
      const LossAndGradient simcse = brute_force_cosine_contrastive(x, {.temperature = 0.2, .of_means = true});
      at::Tensor expected = at::zeros_like(x);
      const double of_gaussian =
          gaussian.evaluate({x.narrow(0, 0, gaussian.roles())}, {0, 11}, {expected.narrow(0, 0, gaussian.roles())})
              .item<double>();
      expected += simcse.gradient;
      at::Tensor gradient = at::full_like(x, 99);
      EXPECT_NEAR(both->evaluate({x}, {0, 11}, {gradient}).item<double>(), of_gaussian + simcse.loss, 1e-12) << word;
      EXPECT_LE(largest_difference(gradient, expected), 1e-13) << word;

      double parts = 0;
      at::Tensor part = at::empty_like(x), sum = at::zeros_like(x);
      for (const AnchorRange own : {AnchorRange{0, 3}, AnchorRange{3, 3}, AnchorRange{3, 11}}) {
        parts += both->evaluate({x}, own, {part}).item<double>();
        sum += part;
      }
      EXPECT_NEAR(parts, of_gaussian + simcse.loss, 1e-12) << word;
      EXPECT_LE(largest_difference(sum, expected), 1e-13) << word;
    }
  }
}

}  // namespace
}  // namespace gausscse
