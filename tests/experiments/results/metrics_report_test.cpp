#include <gtest/gtest.h>

#include "experiments/results/average.hpp"
#include "experiments/results/json_report.hpp"
#include "experiments/results/metrics_table.hpp"
#include "tests/experiments/results/sample_result.hpp"

namespace gausscse {
namespace {

using testing_support::sample_result;

TEST(JsonReport, HasEveryFigureAsAFractionInOrder) {
  EXPECT_EQ(json_report(sample_result().states[0]), R"({
  "state": "last",
  "step": 2,
  "dev": {
    "pairs": 4,
    "accuracy": 0.75,
    "threshold": 0.613,
    "auprc": 0.55125,
    "directed_pairs": 2,
    "direction_sim": 0.5,
    "direction_var": 1.0,
    "direction_length": 0.9264
  },
  "test": {
    "snli": {
      "pairs": 2,
      "accuracy": 0.3333333333333333,
      "threshold": 0.613,
      "auprc": 0.55125,
      "directed_pairs": 2,
      "direction_sim": null,
      "direction_var": 1.0,
      "direction_length": 0.9264
    },
    "mnli": {
      "pairs": 4,
      "accuracy": 0.75,
      "threshold": 0.613,
      "auprc": 0.55125,
      "directed_pairs": 2,
      "direction_sim": 0.5,
      "direction_var": 1.0,
      "direction_length": 0.9264
    }
  },
  "average": {
    "accuracy": 0.5416666666666666,
    "auprc": 0.55125,
    "direction_sim": null,
    "direction_var": 1.0,
    "direction_length": 0.9264
  }
}
)");
  EXPECT_NE(json_report(StateResult{}).find("\"test\": {}"), std::string::npos);
}

TEST(MetricsTable, IsAlignedAndInPercent) {
  EXPECT_EQ(
      metrics_table(sample_result().states[0]),
      "last state, after 2 steps\n"
      "set      pairs  accuracy %  threshold  AUPRC %  directed pairs  direction by sim %  by variance %  by length %\n"
      "dev          4       75.00      0.613    55.12               2               50.00         100.00        92.64\n"
      "snli         2       33.33      0.613    55.12               2                   -         100.00        92.64\n"
      "mnli         4       75.00      0.613    55.12               2               50.00         100.00        92.64\n"
      "average      -       54.17          -    55.12               -                   -         100.00        "
      "92.64\n");
}

TEST(Average, CountsEverySetOnceAndNeedsTwo) {
  std::vector<TestResult> tests(3);
  for (std::size_t i = 0; i < tests.size(); ++i) {
    const auto k = static_cast<double>(i);
    tests[i].metrics = {.pairs = 1000 * static_cast<std::int64_t>(i + 1),
                        .accuracy = 0.1 * k,
                        .threshold = 0.5,
                        .auprc = 0.2 + 0.1 * k,
                        .directed_pairs = 10,
                        .direction_sim = 0.3 + 0.1 * k,
                        .direction_var = 0.4 + 0.1 * k,
                        .direction_length = 0.5 + 0.1 * k};
  }
  const auto average = average_of(tests);
  ASSERT_TRUE(average);
  EXPECT_DOUBLE_EQ(average->accuracy, 0.1);
  EXPECT_DOUBLE_EQ(average->auprc, 0.3);
  EXPECT_DOUBLE_EQ(average->direction_sim, 0.4);
  EXPECT_DOUBLE_EQ(average->direction_var, 0.5);
  EXPECT_DOUBLE_EQ(average->direction_length, 0.6);
  tests.resize(1);
  EXPECT_FALSE(average_of(tests));
  EXPECT_FALSE(average_of({}));
}

TEST(MetricsReports, SayNothingOfADevThatWasNotMeasured) {
  StateResult state = sample_result().states[0];
  state.dev.reset();
  EXPECT_EQ(metrics_table(state),
            "last state, after 2 steps\n"
            "set      pairs  accuracy %  threshold  AUPRC %  directed pairs  direction by sim %  by variance %  "
            "by length %\n"
            "snli         2       33.33      0.613    55.12               2                   -         100.00        "
            "92.64\n"
            "mnli         4       75.00      0.613    55.12               2               50.00         100.00        "
            "92.64\n"
            "average      -       54.17          -    55.12               -                   -         100.00        "
            "92.64\n");
  EXPECT_EQ(json_report(state).find("dev"), std::string::npos);
}

}  // namespace
}  // namespace gausscse
