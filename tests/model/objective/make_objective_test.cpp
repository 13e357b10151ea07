#include "model/objective/make_objective.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "model/objective/gaussian_contrastive.hpp"
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

/// GaussCSE's loss, and SimCSE's on the means beside it where that is asked for: weight 1, the same temperature, hard
/// negatives whatever the loss's own denominator.
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
