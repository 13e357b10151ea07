#include <ATen/ops/zeros.h>

#include "evaluation/metrics/metrics.hpp"
#include "evaluation/nli/nli_task.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

struct Known {
  const char* file;
  setting::TwoWayPairs two_way_pairs;
  double pairs, directed_pairs;
  // In percent, two decimals, of the entailment pairs: the premise is longer, and with half of equal lengths.
  double longer, with_ties;
  double by_words;  ///< larger sum of inverse document frequencies, by a script in Python
};

NliTask task_of(const std::string& file, const std::string& threshold, setting::TwoWayPairs two_way_pairs) {
  NliTaskSettings settings;
  settings.file = real_data() / file;
  settings.threshold = threshold;
  const ByteTokenizer tokenizer;
  return NliTask("set", settings, model_to_read_for(tokenizer, 8, 8), {.scoring = {.two_way_pairs = two_way_pairs}});
}

TEST(LengthBaseline, GivesTheKnownMetricsOnRealCorpora) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  using enum setting::TwoWayPairs;
  for (const Known& known : {Known{"snli_1.0-subset/snli_1.0_test.jsonl", drop, 9824, 3368, 92.64, 93.02, 92.73},
                             Known{"SICK/SICK.txt", drop, 4906, 794, 69.14, 71.91, 74.75},
                             Known{"SICK/SICK.txt", keep, 4906, 1404, 60.26, 63.21, 64.81},
                             Known{"SICK/SICK_test_annotated.txt", keep, 4927, 1414, 60.11, 63.08, 64.64}}) {
    SCOPED_TRACE(known.file);
    const NliTask task = task_of(known.file, "0.5", known.two_way_pairs);
    const auto sentences = static_cast<std::int64_t>(task.sentences().sentences());
    const Measurement measurement = task.score(at::zeros({sentences, 2}), {});
    EXPECT_EQ(metric_of(measurement, "pairs"), known.pairs);
    EXPECT_EQ(metric_of(measurement, "directed_pairs"), known.directed_pairs);
    const auto percent = [&](const char* name) { return std::round(1e4 * metric_of(measurement, name)) / 100; };
    EXPECT_EQ(percent("direction_length.ties_wrong"), known.longer);
    EXPECT_EQ(percent("direction_length"), known.with_ties);
    EXPECT_EQ(percent("direction_words"), known.by_words);
    EXPECT_EQ(metric_of(measurement, "direction_sim"), 0) << "all sentences are alike: ties are wrong";
    EXPECT_EQ(metric_of(measurement, "direction_var"), 0);
  }
}

TEST(LengthBaseline, SickTrialIsTheDevSet) {
  GAUSSCSE_REQUIRE_REAL_DATA();
  EXPECT_EQ(task_of("SICK/SICK.txt", "own", setting::TwoWayPairs::keep).pairs().report.pairs, 495u);
}

TEST(LengthBaseline, CountsCodePoints) {
  EXPECT_EQ(character_length(""), 0u);
  EXPECT_EQ(character_length("caf\u00e9 \u4e2d \U0001F600"), 8u);
}

}  // namespace
}  // namespace gausscse
