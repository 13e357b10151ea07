#include <ATen/ops/empty.h>

#include "base/philox.hpp"
#include "evaluation/retrieval/hit_calibration.hpp"
#include "evaluation/retrieval/retrieval_task.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns the rows of a task's queries, whose texts come behind those of the documents.
std::vector<std::int64_t> query_numbers(const RetrievalTask& task) {
  std::vector<std::int64_t> numbers(task.set().queries.size());
  std::iota(numbers.begin(), numbers.end(), static_cast<std::int64_t>(task.set().documents.size()));
  return numbers;
}

/// The first task is fitted on half of its queries; a second one of other data takes its calibration, and one of the
/// same data leaves the fitted half out.
TEST(HitFit, IsThatOfTheFirstTask) {
  constexpr std::size_t documents = 40, width = 4;
  std::vector<std::int64_t> document_rows(documents);
  std::iota(document_rows.begin(), document_rows.end(), 0);
  const TemporaryFolder folder;
  const auto write_set = [&](const char* name, std::size_t first, std::size_t count) {
    std::string text;
    for (std::size_t i = first; i < first + count; ++i)
      text += jsonl("entailment", concat("d", i % documents), concat("query ", i));
    write_bytes(folder / name, text);
  };
  write_set("dev.jsonl", 0, 900);
  write_set("test.jsonl", 900, 800);
  const ByteTokenizer tokenizer;
  const auto measured = [&](const char* name, const char* file, const std::string& fitted_on,
                            const std::vector<Measurement>& earlier) {
    ReadingSettings reading;
    reading.hits_fitted_on = fitted_on;
    const RetrievalTask task(name, {.path = folder / file},
                             model_to_read_for(tokenizer, 64, 64, {.similarity = Similarity::per_dimension}), reading);
    at::Tensor rows = at::empty(
        {static_cast<std::int64_t>(task.set().documents.size() + task.set().queries.size()), width}, at::kFloat);
    PhiloxStream random(5, task.set().queries.size());
    auto* const values = rows.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < rows.numel(); ++i) values[i] = static_cast<float>(random.below(2049)) / 1024 - 1;
    // Every other query is near its document, so that best hits are right and wrong.
    const std::int64_t first_query = static_cast<std::int64_t>(task.set().documents.size());
    for (std::size_t i = 0; i < task.set().queries.size(); i += 2)
      for (std::int64_t d = 0; d < static_cast<std::int64_t>(width); ++d)
        values[(first_query + static_cast<std::int64_t>(i)) * width + d] =
            values[task.set().queries[i].relevant[0].document * width + d];
    Measurement measurement = task.score(rows, earlier);
    return std::pair(measurement, labelled_hits({rows, query_numbers(task), document_rows}, task.set(),
                                                Similarity::per_dimension, 1));
  };
  const auto [without, unused] = measured("plain", "dev.jsonl", "", {});
  EXPECT_EQ(without.calibration, "");
  EXPECT_EQ(find_metric(without.metrics, "logistic.nll"), nullptr);
  const auto [dev, dev_hits] = measured("dev", "dev.jsonl", "dev", {});
  ASSERT_NE(dev.calibration, "");
  const Calibration calibration = Calibration::parse(dev.calibration, "dev");
  EXPECT_TRUE(calibration.is_of_hits());
  EXPECT_EQ(calibration.numbers().set, "dev");
  EXPECT_EQ(calibration.numbers().rows, documents);
  EXPECT_EQ(calibration.numbers().pairs, 900u);
  EXPECT_EQ(calibration.numbers().fitted, 450u);
  const auto expect_same = [](const Measurement& measurement, const std::vector<Metric>& expected) {
    ASSERT_FALSE(expected.empty());
    for (const Metric& metric : expected)
      if (metric.value == metric.value) {
        EXPECT_EQ(metric_of(measurement, metric.name), metric.value) << metric.name;
      }
  };
  expect_same(dev, hit_metrics(calibration, true, dev_hits, 1));
  const auto [test, test_hits] = measured("test", "test.jsonl", "dev", {dev});
  EXPECT_EQ(test.calibration, "");
  expect_same(test, hit_metrics(calibration, false, test_hits, 1));
  const auto [again, again_hits] = measured("again", "dev.jsonl", "dev", {dev});
  expect_same(again, hit_metrics(calibration, true, again_hits, 1));
}

}  // namespace
}  // namespace gausscse
