#include "base/philox.hpp"
#include "dist/communicator.hpp"
#include "evaluation/sts/sts_columns.hpp"
#include "evaluation/sts/sts_task.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/known_embedder.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/device_of_goldens.hpp"

namespace gausscse {
namespace {

constexpr std::int64_t width = 6, pairs_of_file = 20;

/// Rows of which the first four are zero, one, the opposite of that, and that again.
at::Tensor rows_of(std::int64_t sentences) {
  at::Tensor rows = at::empty({sentences, width}, at::kFloat);
  PhiloxStream random(4, 0);
  auto* value = rows.mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < rows.numel(); ++i) value[i] = static_cast<float>(random.below(2000)) / 1000 - 1;
  rows[0].zero_();
  rows[2].copy_(-rows[1]);
  rows[3].copy_(rows[1]);
  return rows;
}

/// STS tasks of two files, whose pairs' similarities are computed on a GPU.
class GpuStsTask : public testing::Test {
 protected:
  void SetUp() override { GAUSSCSE_SKIP_WITHOUT_DEVICE(); }

  StsTask task(Similarity kind, bool mteb_scores) const {
    std::vector<std::filesystem::path> files;
    for (const char* name : {"one.csv", "two.csv"}) {
      // The sentences with the first numbers are among its pairs.
      std::string text = files.empty() ? "g\tf\ty\t1\t2\t0\t1\ng\tf\ty\t1\t3\t2\t3\ng\tf\ty\t1\t4\t1\t3\n" : "";
      for (std::int64_t i = 0; i < pairs_of_file; ++i)
        text +=
            concat("g\tf\ty\t1\t", i * 3 % 5, "\t", i, "\t", (i * 7 + (files.empty() ? 1 : 4)) % pairs_of_file, "\n");
      write_bytes(folder_ / name, text);
      files.push_back(folder_ / name);
    }
    return {"sts",
            {.files = files},
            model_to_read_for(tokenizer_, 64, 64, {.similarity = kind}),
            {.mteb_scores = mteb_scores}};
  }

  TemporaryFolder folder_;
  ByteTokenizer tokenizer_;
};

std::vector<double> column(const Measurement& measurement, const std::string& name) {
  for (const Column& each : measurement.columns)
    if (each.name == name) return std::get<std::vector<double>>(each.values);
  ADD_FAILURE() << "no column " << name;
  return {};
}

void expect_same_values(const std::vector<Metric>& found, const std::vector<Metric>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].name, expected[i].name);
    EXPECT_NEAR(found[i].value, expected[i].value, 1e-12) << found[i].name;
  }
}

TEST_F(GpuStsTask, SimilaritiesAreThoseOfTheCpuAndNothingElseIsCopiedToTheHost) {
  for (const Similarity kind : all_similarities(true)) {
    SCOPED_TRACE(name_of(kind));
    const StsTask sts = task(kind, false);
    const at::Tensor rows = rows_of(static_cast<std::int64_t>(sts.sentences().sentences()));
    const auto measured_on = [&](at::Device device) {
      KnownEmbedder model(sts.sentences(), rows, device);
      return sts.measure(model, *make_self_communicator(), {});
    };
    const BytesToHost counts;
    const Measurement on_gpu = measured_on(device_of_goldens);
    ASSERT_EQ(sts.pairs(), 2 * pairs_of_file + 3);
    EXPECT_EQ(BytesToHost::bytes, (is_gaussian(kind) ? 2 : 1) * 8 * static_cast<std::int64_t>(sts.pairs()));
    const Measurement on_cpu = measured_on(at::kCPU);
    std::vector<const char*> columns{sts_columns::cosine};
    if (is_gaussian(kind)) columns.push_back(sts_columns::symmetric_similarity);
    for (const char* name : columns) {
      SCOPED_TRACE(name);
      const std::vector<double> values = column(on_gpu, name), expected = column(on_cpu, name);
      ASSERT_EQ(values.size(), expected.size());
      for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], 1e-14) << i;
    }
    // Of a zero row, of opposite ones and of equal ones.
    const std::vector<double> cosines = column(on_gpu, sts_columns::cosine);
    EXPECT_EQ((std::vector<double>{cosines[0], cosines[1], cosines[2]}), (std::vector<double>{0, -1, 1}));
    expect_same_values(on_gpu.metrics, on_cpu.metrics);
  }
}

TEST_F(GpuStsTask, ScoresOfMtebAreThoseOfTheCpu) {
  for (const Similarity kind : {Similarity::joint, Similarity::cosine}) {
    const StsTask sts = task(kind, true);
    const at::Tensor rows = rows_of(static_cast<std::int64_t>(sts.sentences().sentences()));
    KnownEmbedder on_gpu(sts.sentences(), rows, device_of_goldens), on_cpu(sts.sentences(), rows, at::kCPU);
    const auto alone = make_self_communicator();
    const Measurement here = sts.measure(on_gpu, *alone, {}), there = sts.measure(on_cpu, *alone, {});
    EXPECT_GT(here.mteb_scores.size(), 5u);
    expect_same_values(here.mteb_scores, there.mteb_scores);
  }
}

}  // namespace
}  // namespace gausscse
