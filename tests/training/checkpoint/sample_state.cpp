#include "tests/training/checkpoint/sample_state.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>

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
  state.best_figure = 0.5 + number / 1000;
  state.best_values = at::arange(7, at::kFloat).sub_(number);
  for (std::int64_t i = 0; i < step; ++i) {
    state.training.step.push_back(i);
    for (auto* series : {&state.training.loss, &state.training.learning_rate, &state.training.gradient_norm,
                         &state.training.examples_per_second, &state.training.tokens_per_second})
      series->push_back(1.0 / static_cast<double>(i + 3));
  }
  state.curves = {{"dev", {0, step}, {{"auprc", Unit::fraction, {0.1, number / 7}}, {"pairs", Unit::count, {3, 4}}}},
                  {"tokens", {step}, {{"norm.1", Unit::number, {NAN}}}}};
  return state;
}

std::vector<Measurement> sample_untrained(std::int64_t step) {
  const auto number = static_cast<double>(step);
  return {{"tokens",
           "geometry",
           true,
           {{"norm", 7 + number, Unit::number}},
           {{"token", std::vector<std::string>{"the", "[SEP]"}},
            {"self_similarity", std::vector<double>{0.5, number / 3}},
            {"sentence_vector", VectorRows{3, {1, 2, 3, 4, 5, 6}}}},
           "of a sample"}};
}

void expect_equal(const TrainingState& a, const TrainingState& b) {
  EXPECT_EQ(a.configuration, b.configuration);
  EXPECT_EQ(a.step, b.step);
  EXPECT_TRUE(a.values.equal(b.values));
  EXPECT_TRUE(a.moment1.equal(b.moment1));
  EXPECT_TRUE(a.moment2.equal(b.moment2));
  EXPECT_EQ(a.best_step, b.best_step);
  EXPECT_EQ(a.best_figure, b.best_figure);
  EXPECT_EQ(a.best_values.defined(), b.best_values.defined());
  if (a.best_values.defined() && b.best_values.defined()) {
    EXPECT_TRUE(a.best_values.equal(b.best_values));
  }
  EXPECT_EQ(a.training.step, b.training.step);
  EXPECT_EQ(a.training.loss, b.training.loss);
  EXPECT_EQ(a.training.learning_rate, b.training.learning_rate);
  EXPECT_EQ(a.training.gradient_norm, b.training.gradient_norm);
  EXPECT_EQ(a.training.examples_per_second, b.training.examples_per_second);
  EXPECT_EQ(a.training.tokens_per_second, b.training.tokens_per_second);
  ASSERT_EQ(a.curves.size(), b.curves.size());
  for (std::size_t i = 0; i < a.curves.size(); ++i) {
    EXPECT_EQ(a.curves[i].task, b.curves[i].task);
    EXPECT_EQ(a.curves[i].step, b.curves[i].step);
    ASSERT_EQ(a.curves[i].lines.size(), b.curves[i].lines.size());
    for (std::size_t line = 0; line < a.curves[i].lines.size(); ++line) {
      const Curve::Line &of_a = a.curves[i].lines[line], &of_b = b.curves[i].lines[line];
      EXPECT_EQ(of_a.figure, of_b.figure);
      EXPECT_EQ(of_a.unit, of_b.unit);
      ASSERT_EQ(of_a.values.size(), of_b.values.size());
      for (std::size_t k = 0; k < of_a.values.size(); ++k)
        EXPECT_TRUE(of_a.values[k] == of_b.values[k] || (std::isnan(of_a.values[k]) && std::isnan(of_b.values[k])));
    }
  }
  ASSERT_EQ(a.early.size(), b.early.size());
  for (std::size_t state = 0; state < a.early.size(); ++state) {
    EXPECT_EQ(a.early[state].state, b.early[state].state);
    EXPECT_EQ(a.early[state].step, b.early[state].step);
    ASSERT_EQ(a.early[state].tasks.size(), b.early[state].tasks.size());
    for (std::size_t i = 0; i < a.early[state].tasks.size(); ++i)
      expect_equal(a.early[state].tasks[i], b.early[state].tasks[i]);
  }
}

void expect_equal(const Measurement& a, const Measurement& b) {
  EXPECT_EQ(a.task, b.task);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.development, b.development);
  EXPECT_EQ(a.remark, b.remark);
  ASSERT_EQ(a.figures.size(), b.figures.size());
  for (std::size_t i = 0; i < a.figures.size(); ++i) {
    EXPECT_EQ(a.figures[i].name, b.figures[i].name);
    EXPECT_EQ(a.figures[i].value, b.figures[i].value);
    EXPECT_EQ(a.figures[i].unit, b.figures[i].unit);
  }
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    EXPECT_EQ(a.columns[i].name, b.columns[i].name);
    EXPECT_EQ(a.columns[i].values, b.columns[i].values);
  }
}

}  // namespace gausscse::testing_support
