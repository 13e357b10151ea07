#include <gtest/gtest.h>

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
  }
}
)");
  EXPECT_NE(json_report(StateResult{}).find("\"test\": {}"), std::string::npos);
}

TEST(MetricsTable, IsAlignedAndInPercent) {
  EXPECT_EQ(metrics_table(sample_result().states[0]),
            "last state, after 2 steps\n"
            "set   pairs  accuracy %  threshold  AUPRC %  direction by sim %  by variance %  by length %\n"
            "dev       4       75.00      0.613    55.12               50.00         100.00        92.64\n"
            "snli      2       33.33      0.613    55.12                   -         100.00        92.64\n"
            "mnli      4       75.00      0.613    55.12               50.00         100.00        92.64\n");
}

TEST(MetricsReports, SayNothingOfADevThatWasNotMeasured) {
  StateResult state = sample_result().states[0];
  state.dev.reset();
  EXPECT_EQ(metrics_table(state),
            "last state, after 2 steps\n"
            "set   pairs  accuracy %  threshold  AUPRC %  direction by sim %  by variance %  by length %\n"
            "snli      2       33.33      0.613    55.12                   -         100.00        92.64\n"
            "mnli      4       75.00      0.613    55.12               50.00         100.00        92.64\n");
  EXPECT_EQ(json_report(state).find("dev"), std::string::npos);
}

}  // namespace
}  // namespace gausscse
