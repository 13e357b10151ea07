#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "experiments/evaluation/metrics_length.hpp"
#include "experiments/evaluation/nli_task.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

struct Known {
  const char* file;
  NliTask::Role role;
  setting::TwoWayPairs two_way_pairs;
  std::int64_t pairs, directed_pairs;
  double percent;  ///< entailment pairs whose premise is the longer, two decimals
};

TEST(LengthBaseline, GivesTheKnownFiguresOnRealCorpora) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  using enum setting::TwoWayPairs;
  using enum NliTask::Role;
  const testing_support::ByteTokenizer tokenizer;
  for (const Known& known :
       {Known{"snli_1.0-subset/snli_1.0_test.jsonl", test, drop, 9824, 3368, 92.64},
        Known{"SICK/SICK.txt", test, drop, 4906, 794, 69.14}, Known{"SICK/SICK.txt", test, keep, 4906, 1404, 60.26},
        Known{"SICK/SICK_test_annotated.txt", test, keep, 4927, 1414, 60.11}}) {
    SCOPED_TRACE(known.file);
    const NliTask task("set", known.role, testing_support::real_data() / known.file, tokenizer,
                       {.scoring = {.two_way_pairs = known.two_way_pairs}, .max_tokens = 8});
    const auto sentences = static_cast<std::int64_t>(task.sentences().sentences());
    const NliMetrics metrics = task.evaluate(at::zeros({sentences, 2}), 0.5).metrics;
    EXPECT_EQ(metrics.pairs, known.pairs);
    EXPECT_EQ(metrics.directed_pairs, known.directed_pairs);
    EXPECT_EQ(std::round(1e4 * metrics.direction_length) / 100, known.percent);
    EXPECT_EQ(metrics.direction_sim, 0) << "all sentences are alike: ties are wrong";
    EXPECT_EQ(metrics.direction_var, 0);
  }
}

TEST(LengthBaseline, SickTrialIsTheDevSet) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  const NliTask task("dev", NliTask::Role::dev, testing_support::real_data() / "SICK/SICK.txt",
                     testing_support::ByteTokenizer(), {.max_tokens = 8});
  EXPECT_EQ(task.report().pairs, 495u);
}

TEST(LengthBaseline, CountsCodePointsAndCallsEqualLengthsWrong) {
  EXPECT_EQ(character_length(""), 0u);
  EXPECT_EQ(character_length("caf\u00e9 \u4e2d \U0001F600"), 8u);
  EXPECT_TRUE(length_tells_direction("abcd", "\u00e9\u00e9\u00e9"));
  EXPECT_FALSE(length_tells_direction("\u00e9\u00e9\u00e9", "abcd"));
  EXPECT_FALSE(length_tells_direction("abc", "xyz"));
}

}  // namespace
}  // namespace gausscse
