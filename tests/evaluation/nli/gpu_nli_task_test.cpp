#include <cmath>
#include <cstdint>
#include <vector>

#include "dist/communicator.hpp"
#include "inference/embed_sentences.hpp"
#include "model/similarities/list.hpp"
#include "tests/evaluation/nli/nli_task_fixture.hpp"
#include "tests/evaluation/task/known_embedder.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/training/device_of_goldens.hpp"

namespace gausscse::nli_task {
namespace {

/// NLI tasks whose pairs' similarities are computed on a GPU.
class GpuNliTask : public NliTaskTest {
 protected:
  void SetUp() override { GAUSSCSE_SKIP_WITHOUT_DEVICE(); }
};

/// The kernel adds up float64 in another order and rounds to float32, so the last bit may differ.
void expect_close(const std::vector<float>& values, const std::vector<float>& expected) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], 1.2e-7f * std::abs(expected[i])) << i;
}

TEST_F(GpuNliTask, SimilaritiesAreThoseOfTheCpuAndNothingElseIsCopiedToTheHost) {
  for (const Similarity kind : all_similarities(true)) {
    SCOPED_TRACE(name_of(kind));
    const NliTask sick = task(sick_full(), "0.3", {}, kind);
    const at::Tensor rows = embeddings(sick, pairs);
    const auto measured_on = [&](at::Device device) {
      KnownEmbedder model(sick.sentences(), rows, device);
      return sick.measure(model, *make_self_communicator(), {});
    };
    const BytesToHost counts;
    const Measurement on_gpu = measured_on(device_of_goldens);
    // In float32 for each pair: the similarity, or those of both directions; of Gaussians two logarithms of deviations
    // and the cosine of the means.
    const int values = (has_direction(kind) ? 2 : 1) + (is_gaussian(kind) ? 3 : 0);
    EXPECT_EQ(BytesToHost::bytes, values * 4 * static_cast<std::int64_t>(pairs.size()));
    const Measurement on_cpu = measured_on(at::kCPU);
    std::vector<const char*> columns{"sim_hypothesis_premise"};
    if (is_gaussian(kind)) columns.insert(columns.end(), {"log_std_premise", "log_std_hypothesis"});
    if (has_direction(kind)) columns.push_back("sim_premise_hypothesis");
    for (const char* name : columns) {
      SCOPED_TRACE(name);
      expect_close(column<float>(on_gpu, name), column<float>(on_cpu, name));
    }
    ASSERT_EQ(on_gpu.metrics.size(), on_cpu.metrics.size());
    for (std::size_t i = 0; i < on_gpu.metrics.size(); ++i) {
      const double value = on_gpu.metrics[i].value, expected = on_cpu.metrics[i].value;
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(value) : std::abs(value - expected) < 1e-6)
          << on_cpu.metrics[i].name;
    }
  }
}

TEST_F(GpuNliTask, FeaturesOfTheCalibrationAreThoseOfTheCpu) {
  NliTaskSettings settings;
  settings.file = file(sick_full());
  settings.rows = setting::SickRows::test;
  const NliTask sick("sick", settings, model_to_read_for(tokenizer_, 64, 64, {}), {});
  const at::Tensor rows = embeddings(sick, pairs);
  const auto fit_on = [&](at::Device device) {
    KnownEmbedder model(sick.sentences(), rows, device);
    return Calibration::parse(sick.measure(model, *make_self_communicator(), {}).calibration, "x").numbers().logistic;
  };
  const LogisticFit here = fit_on(device_of_goldens), there = fit_on(at::kCPU);
  EXPECT_LT(there.mean[4], -0.01) << "the cosine";
  for (std::size_t i = 0; i < there.mean.size(); ++i) {
    EXPECT_NEAR(here.mean[i], there.mean[i], 1e-5) << i;
    EXPECT_NEAR(here.scale[i], there.scale[i], 1e-5) << i;
  }
}

TEST_F(GpuNliTask, ScoresOfMtebAreThoseOfTheCpu) {
  for (const Similarity kind : {Similarity::cosine, Similarity::joint}) {
    NliTaskSettings settings;
    settings.file = file(sick_full());
    settings.threshold = "0.1";
    const NliTask sick("sick", settings, model_to_read_for(tokenizer_, 64, 64, {.similarity = kind}),
                       {.mteb_scores = true});
    const at::Tensor rows = embeddings(sick, pairs);
    KnownEmbedder on_gpu(sick.sentences(), rows, device_of_goldens), on_cpu(sick.sentences(), rows, at::kCPU);
    const auto alone = make_self_communicator();
    const Measurement here = sick.measure(on_gpu, *alone, {}), there = sick.measure(on_cpu, *alone, {});
    ASSERT_EQ(here.mteb_scores.size(), there.mteb_scores.size());
    EXPECT_GT(here.mteb_scores.size(), 5u);
    for (std::size_t i = 0; i < here.mteb_scores.size(); ++i)
      EXPECT_NEAR(here.mteb_scores[i].value, there.mteb_scores[i].value, 1e-6) << here.mteb_scores[i].name;
    EXPECT_EQ(column<float>(here, "sim_hypothesis_premise").size(), pairs.size());
  }
}

TEST_F(GpuNliTask, EmbeddingsBeyondTheLimitGoToTheHost) {
  const NliTask sick = task(sick_full(), "0.3");
  const at::Tensor rows = embeddings(sick, pairs);
  KnownEmbedder model(sick.sentences(), rows, device_of_goldens);
  const auto alone = make_self_communicator();
  const auto bytes = static_cast<std::int64_t>(rows.nbytes());
  KeptBatches kept;
  const at::Tensor within = embed_sentences_in_place(model, sick.sentences(), *alone, kept, bytes);
  EXPECT_EQ(within.device(), device_of_goldens);
  EXPECT_TRUE(within.cpu().equal(rows));
  const at::Tensor beyond = embed_sentences_in_place(model, sick.sentences(), *alone, kept, bytes - 1);
  EXPECT_TRUE(beyond.is_cpu());
  EXPECT_TRUE(beyond.equal(rows));
}

}  // namespace
}  // namespace gausscse::nli_task
