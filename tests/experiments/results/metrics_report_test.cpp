#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "experiments/results/average.hpp"
#include "experiments/results/json_report.hpp"
#include "experiments/results/metrics_table.hpp"
#include "tests/experiments/results/sample_result.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::refusal_of;
using testing_support::sample_result;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

TEST(JsonReport, HasEveryFigureAsAFractionInOrder) {
  EXPECT_EQ(json_report(sample_result().states[0]), R"({
  "format": "gausscse-report/1",
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

TEST(JsonReport, TakesThePlaceOfAReportOnly) {
  const TemporaryFolder folder;
  const std::vector<InputPath> inputs = {{"--dev", folder / "dev.json"}};
  const auto refusal = [&](const std::string& name) {
    return refusal_of([&] { check_report_file("--json", folder / name, inputs); });
  };
  const std::string report = json_report(sample_result().states[0]);
  for (const char* name : {"dev.json", "earlier.json"}) write_bytes(folder / name, report);
  EXPECT_EQ(refusal("earlier.json"), "accepted");
  EXPECT_EQ(refusal("new.json"), "accepted");
  EXPECT_TRUE(says(refusal("dev.json"), "is the file that is read as --dev"));
  EXPECT_TRUE(says(refusal("missing/new.json"), "there is no folder"));
  for (const std::string& other :
       {std::string(), std::string("my words"), std::string("[1]"), std::string("{}"), std::string("{\"format\": 1}"),
        std::string("{\"format\": \"gausscse-trial/1\"}"), report.substr(0, report.size() - 3)}) {
    write_bytes(folder / "mine.json", other);
    EXPECT_TRUE(says(refusal("mine.json"), "mine.json is there already and no report of gausscse")) << other;
  }
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
