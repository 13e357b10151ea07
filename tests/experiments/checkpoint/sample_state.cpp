#include "tests/experiments/checkpoint/sample_state.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

namespace gausscse::testing_support {

TrainingState sample_state(std::int64_t step) {
  const auto number = static_cast<double>(step);
  TrainingState state;
  state.configuration = "loss: ent\ntraining: {seed: 3}\n";
  state.step = step;
  state.values = at::arange(7, at::kFloat).add_(number);
  state.moment1 = at::full({7}, 0.25 + number, at::kFloat);
  state.moment2 = at::full({7}, 1e-9 * (1 + number), at::kFloat);
  state.best_step = step / 2;
  state.best_dev = {.pairs = 10,
                    .accuracy = 0.7,
                    .threshold = 0.9,
                    .auprc = 0.5 + number / 1000,
                    .directed_pairs = 4,
                    .direction_sim = 0.5,
                    .direction_var = 0.25,
                    .direction_length = 0.75};
  state.best_values = at::arange(7, at::kFloat).sub_(number);
  for (std::int64_t i = 0; i < step; ++i) {
    state.training.step.push_back(i);
    for (auto* series : {&state.training.loss, &state.training.learning_rate, &state.training.gradient_norm,
                         &state.training.triples_per_second, &state.training.tokens_per_second})
      series->push_back(1.0 / static_cast<double>(i + 3));
  }
  state.dev.step = {0, step};
  for (auto* series : {&state.dev.auprc, &state.dev.accuracy, &state.dev.direction_sim, &state.dev.direction_var})
    *series = {0.1, number / 7};
  return state;
}

void expect_equal(const TrainingState& a, const TrainingState& b) {
  EXPECT_EQ(a.configuration, b.configuration);
  EXPECT_EQ(a.step, b.step);
  EXPECT_TRUE(a.values.equal(b.values));
  EXPECT_TRUE(a.moment1.equal(b.moment1));
  EXPECT_TRUE(a.moment2.equal(b.moment2));
  EXPECT_EQ(a.best_step, b.best_step);
  EXPECT_EQ(a.best_dev.pairs, b.best_dev.pairs);
  EXPECT_EQ(a.best_dev.accuracy, b.best_dev.accuracy);
  EXPECT_EQ(a.best_dev.threshold, b.best_dev.threshold);
  EXPECT_EQ(a.best_dev.auprc, b.best_dev.auprc);
  EXPECT_EQ(a.best_dev.directed_pairs, b.best_dev.directed_pairs);
  EXPECT_EQ(a.best_dev.direction_sim, b.best_dev.direction_sim);
  EXPECT_EQ(a.best_dev.direction_var, b.best_dev.direction_var);
  EXPECT_EQ(a.best_dev.direction_length, b.best_dev.direction_length);
  EXPECT_EQ(a.best_values.defined(), b.best_values.defined());
  if (a.best_values.defined() && b.best_values.defined()) {
    EXPECT_TRUE(a.best_values.equal(b.best_values));
  }
  EXPECT_EQ(a.training.step, b.training.step);
  EXPECT_EQ(a.training.loss, b.training.loss);
  EXPECT_EQ(a.training.learning_rate, b.training.learning_rate);
  EXPECT_EQ(a.training.gradient_norm, b.training.gradient_norm);
  EXPECT_EQ(a.training.triples_per_second, b.training.triples_per_second);
  EXPECT_EQ(a.training.tokens_per_second, b.training.tokens_per_second);
  EXPECT_EQ(a.dev.step, b.dev.step);
  EXPECT_EQ(a.dev.auprc, b.dev.auprc);
  EXPECT_EQ(a.dev.accuracy, b.dev.accuracy);
  EXPECT_EQ(a.dev.direction_sim, b.dev.direction_sim);
  EXPECT_EQ(a.dev.direction_var, b.dev.direction_var);
}

}  // namespace gausscse::testing_support
