#include "training/optimizer.hpp"

#include <ATen/core/Tensor.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "model/kernels/kernels.hpp"
#include "tests/support/testing.hpp"
#include "training/schedule.hpp"

namespace gausscse {
namespace {

std::vector<ParameterSpec> three_parameters() {
  return {{"a.weight", {2, 3}}, {"a.bias", {3}}, {"LayerNorm.weight", {5}}};
}

/// AdamW as the paper writes it, on one number.
struct ScalarAdamW {
  double value, moment1 = 0, moment2 = 0;
  void step(int t, double gradient, double rate, double decay) {
    value -= rate * decay * value;
    moment1 = 0.9 * moment1 + 0.1 * gradient;
    moment2 = 0.999 * moment2 + 0.001 * gradient * gradient;
    value -= rate * (moment1 / (1 - std::pow(0.9, t))) / (std::sqrt(moment2 / (1 - std::pow(0.999, t))) + 1e-8);
  }
};

TEST(OptimizerTest, StepsAsAdamWIsDefined) {
  for (const bool decay_all : {true, false}) {
    ParameterStore parameters(three_parameters(), at::kDouble);
    Optimizer optimizer(parameters, {.weight_decay = 0.1, .decay_biases_and_norms = decay_all});
    std::vector<ScalarAdamW> expected;
    for (int i = 0; i < 14; ++i) {
      parameters.values()[i] = 0.5 + 0.1 * i;
      expected.push_back({0.5 + 0.1 * i});
    }
    for (int t = 1; t <= 5; ++t) {
      for (int i = 0; i < 14; ++i) {
        const double gradient = std::sin(3.0 * t + i);
        parameters.gradients()[i] = gradient;
        expected[static_cast<std::size_t>(i)].step(t, gradient, 0.01 * t, decay_all || i < 6 ? 0.1 : 0.0);
      }
      optimizer.squared_gradient_norm();
      optimizer.step(0.01 * t);
    }
    for (int i = 0; i < 14; ++i)
      EXPECT_NEAR(parameters.values()[i].item<double>(), expected[static_cast<std::size_t>(i)].value, 1e-12) << i;
  }
}

/// Gradients that begin at another step in each block, by blocks of unequal size.
double late_gradient(int t, std::int64_t i) {
  const std::int64_t block = i / kernels::adamw_block;
  return t > 2 * block || (block == 3 && t == 2 && i % kernels::adamw_block == 5)
             ? std::sin(3.0 * t + static_cast<double>(i))
             : 0.0;
}

/// Parameters of four blocks and nine values more, which begin and end within blocks.
std::vector<ParameterSpec> parameters_across_blocks() {
  return {
      {"a.weight", {250}}, {"a.bias", {13}}, {"b.weight", {3, 100}}, {"LayerNorm.weight", {400}}, {"c.weight", {70}}};
}
bool is_of_weight(std::int64_t i) {
  return i < 250 || (i >= 263 && i < 563) || i >= 963;
}

class OptimizerDecay : public testing::TestWithParam<bool> {};

TEST_P(OptimizerDecay, ValuesWithoutGradientOnlyDecayUntilTheyHaveOne) {
  constexpr std::int64_t count = 4 * kernels::adamw_block + 9;
  ParameterStore parameters(parameters_across_blocks(), at::kDouble), resumed(parameters_across_blocks(), at::kDouble);
  ASSERT_EQ(parameters.values().numel(), count);
  const OptimizerSettings settings{.weight_decay = 0.1, .decay_biases_and_norms = GetParam()};
  Optimizer optimizer(parameters, settings);
  std::optional<Optimizer> second;
  std::vector<ScalarAdamW> expected;
  for (std::int64_t i = 0; i < count; ++i) {
    parameters.values()[i] = 0.5 + 0.001 * static_cast<double>(i);
    expected.push_back({0.5 + 0.001 * static_cast<double>(i)});
  }
  const auto gradients_of = [&](int t) {
    std::vector<double> gradients;
    for (std::int64_t i = 0; i < count; ++i) gradients.push_back(late_gradient(t, i));
    return at::tensor(gradients, at::kDouble);
  };
  for (int t = 1; t <= 7; ++t) {
    for (std::int64_t i = 0; i < count; ++i)
      expected[static_cast<std::size_t>(i)].step(t, late_gradient(t, i), 0.01 * t,
                                                 GetParam() || is_of_weight(i) ? 0.1 : 0.0);
    for (ParameterStore* store : {&parameters, &resumed}) store->gradients().copy_(gradients_of(t));
    optimizer.step(0.01 * t);
    if (second) second->step(0.01 * t);
    if (t == 4) {
      resumed.values().copy_(parameters.values());
      second.emplace(resumed, settings);
      second->restore(t, optimizer.moment1(), optimizer.moment2());
    }
  }
  for (std::int64_t i = 0; i < count; ++i)
    EXPECT_NEAR(parameters.values()[i].item<double>(), expected[static_cast<std::size_t>(i)].value, 1e-12) << i;
  EXPECT_TRUE(parameters.values().equal(resumed.values()));
}

INSTANTIATE_TEST_SUITE_P(BiasesAndNorms, OptimizerDecay, testing::Bool());

/// Gradients, moments and norm are those of the trained parameters alone. The head begins within a block; the rates are
/// those of two optimizers. A second optimizer goes on after the fourth step.
TEST_P(OptimizerDecay, HeldValuesKeepTheirBitsAndTheHeadHasItsOwnRate) {
  constexpr std::int64_t held = 250, head = 563, count = 4 * kernels::adamw_block + 9;
  const OptimizerSettings settings{
      .weight_decay = 0.1, .decay_biases_and_norms = GetParam(), .head_factor = 0.25, .head = head};
  ParameterStore parameters(parameters_across_blocks(), at::kDouble), resumed(parameters_across_blocks(), at::kDouble);
  std::vector<ScalarAdamW> expected;
  for (std::int64_t i = 0; i < count; ++i) expected.push_back({0.5 + 0.001 * static_cast<double>(i)});
  for (std::int64_t i = 0; i < count; ++i) parameters.values()[i] = expected[static_cast<std::size_t>(i)].value;
  for (ParameterStore* store : {&parameters, &resumed}) store->hold_before(held);
  const at::Tensor before = parameters.values().clone();
  Optimizer optimizer(parameters, settings);
  std::optional<Optimizer> second;
  EXPECT_EQ(optimizer.moment1().numel(), count - held);
  for (int t = 1; t <= 7; ++t) {
    double squares = 0;
    for (std::int64_t i = held; i < count; ++i) {
      const double gradient = late_gradient(t, i), rate = 0.01 * t * (i < head ? 1 : 0.25);
      for (ParameterStore* store : {&parameters, &resumed}) store->gradients()[i - held] = gradient;
      expected[static_cast<std::size_t>(i)].step(t, gradient, rate, GetParam() || is_of_weight(i) ? 0.1 : 0.0);
      squares += gradient * gradient;
    }
    EXPECT_NEAR(optimizer.squared_gradient_norm().item<double>(), squares, 1e-12 * squares) << t;
    optimizer.step(0.01 * t);
    if (second) second->step(0.01 * t);
    if (t == 4) {
      resumed.values().copy_(parameters.values());
      second.emplace(resumed, settings);
      second->restore(t, optimizer.moment1(), optimizer.moment2());
    }
  }
  EXPECT_TRUE(parameters.values().narrow(0, 0, held).equal(before.narrow(0, 0, held)));
  for (std::int64_t i = held; i < count; ++i)
    EXPECT_NEAR(parameters.values()[i].item<double>(), expected[static_cast<std::size_t>(i)].value, 1e-12) << i;
  EXPECT_TRUE(parameters.values().equal(resumed.values()));
}

TEST(OptimizerTest, SecondMomentsDecayWithoutFirstOnes) {
  ParameterStore parameters(three_parameters(), at::kDouble);
  Optimizer optimizer(parameters, {});
  optimizer.restore(3, at::zeros({14}, at::kDouble), at::ones({14}, at::kDouble));
  parameters.gradients().zero_();
  optimizer.step(0.1);
  EXPECT_TRUE(at::allclose(optimizer.moment2(), at::full({14}, 0.999, at::kDouble), 1e-12, 0));
}

TEST(OptimizerTest, ClipsToTheNorm) {
  ParameterStore clipped(three_parameters(), at::kDouble), scaled(three_parameters(), at::kDouble);
  clipped.gradients().fill_(2.0);
  const double norm = 2.0 * std::sqrt(14.0);
  Optimizer with_clip(clipped, {.clip_norm = 1.0, .epsilon = 0.1}), without(scaled, {.epsilon = 0.1});
  EXPECT_NEAR(std::sqrt(with_clip.squared_gradient_norm().item<double>()), norm, 1e-12);
  with_clip.step(0.1);
  scaled.gradients().fill_(2.0 / norm);
  without.step(0.1);
  EXPECT_TRUE(at::allclose(clipped.values(), scaled.values(), 1e-12, 1e-14));
  EXPECT_GT(clipped.values().abs().max().item<double>(), 1e-3);
  EXPECT_THROW(with_clip.step(0.1), std::logic_error) << "a norm is that of one step";
}

TEST(OptimizerTest, DoesNotScaleUpToTheNorm) {
  ParameterStore clipped(three_parameters(), at::kDouble), plain(three_parameters(), at::kDouble);
  Optimizer with_clip(clipped, {.clip_norm = 3.0, .epsilon = 0.1}), without(plain, {.epsilon = 0.1});
  for (ParameterStore* parameters : {&clipped, &plain}) parameters->gradients().fill_(0.5);
  with_clip.squared_gradient_norm();
  with_clip.step(0.1);
  without.squared_gradient_norm();
  without.step(0.1);
  EXPECT_TRUE(clipped.values().equal(plain.values()));
}

TEST(ScheduleTest, WarmsUpAndDecays) {
  const Schedule schedule{setting::Schedule::warmup_decay, 2.0, 100, 0.1};
  EXPECT_EQ(schedule.learning_rate(0), 0);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(5), 1.0);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(10), 2.0);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(55), 1.0);
  EXPECT_NEAR(schedule.learning_rate(99), 2.0 / 90, 1e-15);
}

TEST(ScheduleTest, WarmsUpAndStays) {
  const Schedule schedule{setting::Schedule::warmup_constant, 2.0, 100, 0.1};
  EXPECT_EQ(schedule.learning_rate(0), 0.0);
  EXPECT_EQ(schedule.learning_rate(5), 1.0);
  EXPECT_EQ(schedule.learning_rate(10), 2.0);
  EXPECT_EQ(schedule.learning_rate(99), 2.0);
  EXPECT_EQ((Schedule{setting::Schedule::warmup_constant, 2.0, 9, 0.1}).learning_rate(0), 2.0);
}

TEST(ScheduleTest, WithoutWarmUpBeginsAtThePeak) {
  EXPECT_EQ((Schedule{setting::Schedule::warmup_decay, 2.0, 10, 0.0}).learning_rate(0), 2.0);
}

TEST(ScheduleTest, IncreasesToThePeakAtTheLastStep) {
  const Schedule schedule{setting::Schedule::linear_increase, 2.0, 11, 0.1};
  EXPECT_EQ(schedule.learning_rate(0), 0);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(5), 1.0);
  EXPECT_DOUBLE_EQ(schedule.learning_rate(10), 2.0);
}

}  // namespace
}  // namespace gausscse
