#include "tests/training/checkpoint/sample_state.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include "results/result_file.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

TrainingState sample_state(std::int64_t step) {
  const auto number = static_cast<double>(step);
  TrainingState state;
  state.configuration = "loss: ent\ntraining: {seed: 3}\n";
  state.step = step;
  state.values = at::arange(7, at::kFloat).add_(number);
  state.moment1 = at::full({7}, 0.25 + number, at::kFloat);
  state.moment2 = at::full({7}, 1e-9 * (1 + number), at::kFloat);
  state.best_step = step / 2;
  state.best_metric = 0.5 + number / 1000;
  state.best_values = at::arange(7, at::kFloat).sub_(number);
  for (std::int64_t i = 0; i < step; ++i) {
    state.training.step.push_back(i);
    state.training.left_out_pairs.push_back(7 * i + step);
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
  EXPECT_EQ(a.best_metric, b.best_metric);
  EXPECT_EQ(a.best_values.defined(), b.best_values.defined());
  if (a.best_values.defined() && b.best_values.defined()) {
    EXPECT_TRUE(a.best_values.equal(b.best_values));
  }
  const auto bytes_of = [](const TrainingState& state) {
    RunResult result;
    result.training = state.training;
    result.curves = state.curves;
    result.states = state.early;
    return result_file_bytes(result);
  };
  EXPECT_TRUE(bytes_of(a) == bytes_of(b)) << "series, curves or early states differ";
}

}  // namespace gausscse
