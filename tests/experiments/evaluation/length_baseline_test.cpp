#include <gtest/gtest.h>

#include <filesystem>

#include "data/corpus/nli_reader.hpp"
#include "experiments/evaluation/metrics_length.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

enum class TwoWayPairs { keep, drop };

/// Percent with two decimals of the file's entailment pairs whose premise is the longer.
double baseline(const std::filesystem::path& file, TwoWayPairs two_way_pairs) {
  ReadReport report;
  std::size_t pairs = 0, right = 0;
  const auto count = [&](NliPair&& pair) {
    if (pair.label != NliLabel::entailment) return;
    if (two_way_pairs == TwoWayPairs::drop && pair.entails_both_ways) return;
    ++pairs;
    right += length_tells_direction(pair.premise, pair.hypothesis);
  };
  for_each_nli_pair(testing_support::real_data() / file, {.bad_lines = {}, .sick_set = "TEST"}, report, count);
  return static_cast<double>((20000 * right + pairs) / (2 * pairs)) / 100.0;
}

TEST(LengthBaseline, GivesTheKnownFiguresOnRealCorpora) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  EXPECT_EQ(baseline("snli_1.0-subset/snli_1.0_test.jsonl", TwoWayPairs::keep), 92.64);
  EXPECT_EQ(baseline("SICK/SICK.txt", TwoWayPairs::drop), 69.14);
  EXPECT_EQ(baseline("SICK/SICK.txt", TwoWayPairs::keep), 60.26);
  EXPECT_EQ(baseline("SICK/SICK_test_annotated.txt", TwoWayPairs::keep), 60.11);
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
