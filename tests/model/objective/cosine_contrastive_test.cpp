#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>

#include "model/objective/configured_objective.hpp"
#include "tests/model/objective/cosine_brute_force.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

struct Case {
  std::string name;
  std::int64_t batch, width;
  ObjectiveSettings settings;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

/// Returns the settings for cosines; the others' kind is GaussCSE's.
ObjectiveSettings of_cosine(ObjectiveSettings settings) {
  settings.kind = ObjectiveKind::cosine_contrastive;
  return settings;
}

/// Embeddings [roles, batch, width] float64, exact in float32, of different lengths; entailments resemble premises.
at::Tensor make_input(const Case& c) {
  at::manual_seed(11);
  at::Tensor x = at::randn({ConfiguredObjective(of_cosine(c.settings)).roles(), c.batch, c.width}, at::kDouble);
  x[1].add_(x[0]);
  x.mul_(at::rand({x.size(0), c.batch, 1}, at::kDouble) * 3 + 0.2);
  return x.to(at::kFloat).to(at::kDouble);
}

class CosineContrastiveLoss : public testing::TestWithParam<Case> {};

TEST_P(CosineContrastiveLoss, EqualsBruteForceInValueAndGradient) {
  const Case& c = GetParam();
  const ConfiguredObjective objective(of_cosine(c.settings));
  ASSERT_EQ(objective.roles(), c.settings.hard_negatives ? 3 : 2);
  const at::Tensor x = make_input(c);
  const LossAndGradient expected = brute_force_cosine_contrastive(x, c.settings);
  const double scale = expected.gradient.abs().max().item<double>();
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    const bool wide = type == at::kDouble;
    const at::Tensor input = x.to(type);
    at::Tensor gradient = at::full_like(input, 99);
    const double loss = objective.evaluate({input}, {0, c.batch}, {gradient}).item<double>();
    // Cosines are rounded before they are divided by the temperature.
    const double rounding = (wide ? 1e-15 : 3e-7) * (10 + 1 / c.settings.temperature);
    EXPECT_NEAR(loss, expected.loss, rounding * (1 + expected.loss)) << (wide ? "float64" : "float32");
    EXPECT_LE(largest_difference(gradient, expected.gradient), rounding * std::max(scale, 1e-2))
        << (wide ? "float64" : "float32");
  }
}

constexpr std::int64_t block = Objective::candidate_block;

INSTANTIATE_TEST_SUITE_P(
    Cases, CosineContrastiveLoss,
    testing::Values(
        Case{"supervised_simcse", 17, 24, {}}, Case{"pairs", 17, 24, {.hard_negatives = false}},
        Case{"weight", 17, 24, {.hard_negative_weight = 1.5}},
        Case{"negative_weight", 6, 5, {.hard_negative_weight = -2}},
        Case{"both_directions", 17, 24, {.hard_negatives = false, .directions = Directions::both}},
        Case{"both_with_hard_negatives", 13, 9, {.hard_negative_weight = 0.7, .directions = Directions::both}},
        Case{"means", 11, 14, {.of_means = true}},
        Case{"means_both", 11, 14, {.hard_negative_weight = 0.3, .directions = Directions::both, .of_means = true}},
        Case{"cold", 17, 24, {.temperature = 0.001}},
        Case{"warm", 17, 24, {.temperature = 1, .hard_negative_weight = 0.5, .directions = Directions::both}},
        Case{"one_triple", 1, 8, {.hard_negative_weight = 0.5, .directions = Directions::both}},
        Case{"one_pair", 1, 8, {.hard_negatives = false}}, Case{"one_column", 9, 1, {}},
        Case{"whole_block", block, 3, {.directions = Directions::both}},
        Case{"two_blocks", block + 39, 4, {.hard_negative_weight = 0.4, .directions = Directions::both}}),
    [](const auto& tested) { return tested.param.name; });

/// One pair without negatives can only be right.
TEST(CosineContrastive, OnePairHasNoLossAndNoGradient) {
  const Case c{"", 1, 8, {.hard_negatives = false, .directions = Directions::both}};
  const at::Tensor x = make_input(c);
  at::Tensor gradient = at::full_like(x, 99);
  EXPECT_EQ(ConfiguredObjective(of_cosine(c.settings)).evaluate({x}, {0, 1}, {gradient}).item<double>(), 0);
  EXPECT_EQ(gradient.abs().max().item<double>(), 0);
}

TEST(CosineContrastive, PartsOfAllRanksAddUp) {
  for (const std::int64_t batch : {std::int64_t{23}, block + 70}) {
    const Case c{"", batch, 6, {.hard_negative_weight = 0.4, .directions = Directions::both}};
    const ConfiguredObjective objective(of_cosine(c.settings));
    const at::Tensor x = make_input(c);
    at::Tensor whole = at::empty_like(x), sum = at::zeros_like(x);
    const double loss = objective.evaluate({x}, {0, batch}, {whole}).item<double>();
    double parts = 0;
    for (const AnchorRange own : {AnchorRange{0, 4}, AnchorRange{4, 4}, AnchorRange{4, 5}, AnchorRange{5, batch - 2},
                                  AnchorRange{batch - 2, batch}, AnchorRange{batch, batch}}) {
      at::Tensor part = at::full_like(x, 99);
      const double of_part = objective.evaluate({x}, own, {part}).item<double>();
      if (own.begin == own.end) {
        EXPECT_EQ(of_part, 0);
        EXPECT_EQ(part.abs().max().item<double>(), 0);
      }
      parts += of_part;
      sum += part;
    }
    EXPECT_NEAR(parts, loss, 1e-12);
    EXPECT_LE(largest_difference(sum, whole), 1e-14);
  }
}

TEST(CosineContrastive, ZeroRowsHaveCosineZeroAndNoGradient) {
  for (const at::ScalarType type : {at::kDouble, at::kFloat}) {
    const Case c{"", 7, 5, {.hard_negative_weight = 0.4, .directions = Directions::both}};
    const at::Tensor x = make_input(c);
    x[0][2].zero_();
    x[1][2].zero_();
    x[1][4].zero_();
    x[2][6].zero_();
    const LossAndGradient expected = brute_force_cosine_contrastive(x, c.settings);
    at::Tensor gradient = at::full_like(x, 99).to(type);
    const double loss =
        ConfiguredObjective(of_cosine(c.settings)).evaluate({x.to(type)}, {0, 7}, {gradient}).item<double>();
    EXPECT_NEAR(loss, expected.loss, type == at::kDouble ? 1e-13 : 1e-5);
    EXPECT_LE(largest_difference(gradient, expected.gradient), type == at::kDouble ? 1e-13 : 1e-5);
    for (const auto& [role, row] : {std::pair{0, 2}, {1, 2}, {1, 4}, {2, 6}})
      EXPECT_EQ(gradient[role][row].abs().max().item<double>(), 0);
  }
}

/// Squares of such values leave float32's range.
TEST(CosineContrastive, LengthsMayBeTinyOrHuge) {
  const Case c{"", 7, 5, {}};
  const at::Tensor x = make_input(c);
  x[0].mul_(1e-25);
  x[2].mul_(1e25);
  const LossAndGradient expected = brute_force_cosine_contrastive(x, c.settings);
  at::Tensor gradient = at::empty_like(x).to(at::kFloat);
  EXPECT_NEAR(
      ConfiguredObjective(of_cosine(c.settings)).evaluate({x.to(at::kFloat)}, {0, 7}, {gradient}).item<double>(),
      expected.loss, 1e-5);
  for (const std::int64_t role : {0, 1, 2})
    EXPECT_LE(largest_difference(gradient[role], expected.gradient[role]),
              1e-5 * expected.gradient[role].abs().max().item<double>());
}

/// The other half has no bearing, also where it is not finite.
TEST(CosineContrastive, OnlyMeansHaveAGradient) {
  const Case c{"", 9, 8, {.of_means = true}};
  const at::Tensor x = make_input(c);
  at::Tensor gradient = at::full_like(x, 99), other_gradient = at::full_like(x, 99);
  const at::Tensor other = x.clone();
  other.narrow(2, 4, 4).fill_(std::numeric_limits<double>::infinity());
  const ConfiguredObjective objective(of_cosine(c.settings));
  EXPECT_EQ(objective.evaluate({x}, {2, 7}, {gradient}).item<double>(),
            objective.evaluate({other}, {2, 7}, {other_gradient}).item<double>());
  EXPECT_EQ(gradient.narrow(2, 4, 4).abs().max().item<double>(), 0);
  EXPECT_TRUE(gradient.equal(other_gradient));
}

TEST(CosineContrastive, TheNumberOfThreadsChangesNoBit) {
  const int before = at::get_num_threads();
  const Case c{"", block + 100, 37, {.hard_negative_weight = 0.4, .directions = Directions::both}};
  const at::Tensor x = make_input(c).to(at::kFloat);
  const ConfiguredObjective objective(of_cosine(c.settings));
  std::vector<double> losses;
  std::vector<at::Tensor> gradients;
  for (const int threads : {1, 2, 3}) {
    at::set_num_threads(threads);
    gradients.push_back(at::empty_like(x));
    losses.push_back(objective.evaluate({x}, {5, block + 90}, {gradients.back()}).item<double>());
    EXPECT_EQ(at::get_num_threads(), threads);
    EXPECT_EQ(losses.back(), losses.front()) << threads;
    EXPECT_TRUE(gradients.back().equal(gradients.front())) << threads;
  }
  at::set_num_threads(before);
}

TEST(CosineContrastive, NotANumberStaysOne) {
  const Case c{"", 5, 8, {}};
  at::Tensor x = make_input(c).to(at::kFloat);
  x[2][2][3] = std::numeric_limits<float>::quiet_NaN();
  at::Tensor gradient = at::empty_like(x);
  EXPECT_TRUE(std::isnan(ConfiguredObjective(of_cosine(c.settings)).evaluate({x}, {0, 5}, {gradient}).item<double>()));
  EXPECT_TRUE(gradient.isnan().any().item<bool>());
}

}  // namespace
}  // namespace gausscse
