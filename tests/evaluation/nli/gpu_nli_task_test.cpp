#include <ATen/ops/index_select.h>
#include <ATen/record_function.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "dist/communicator.hpp"
#include "inference/embed_sentences.hpp"
#include "tests/evaluation/nli/nli_task_fixture.hpp"
#include "tests/training/device_of_goldens.hpp"

namespace gausscse::testing_support::nli_task {
namespace {

/// Embedder on a device whose rows are known, by the sentence's tokens.
class KnownEmbedder final : public SentenceEmbedder {
 public:
  /// `rows` on the CPU are those of the sentences of `store`.
  KnownEmbedder(const TokenStore& store, at::Tensor rows, at::Device device) : rows_(std::move(rows)), device_(device) {
    for (std::uint32_t i = 0; i < store.sentences(); ++i) {
      std::vector<std::uint32_t> ids;
      store.append_tokens(i, ids);
      numbers_[ids] = i;
    }
  }

  std::int64_t width() const override { return rows_.size(1); }
  at::TensorOptions options() const override { return rows_.options().device(device_); }
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override { return std::make_unique<Batches>(*this); }

 private:
  struct Batches final : BatchEmbedder {
    explicit Batches(const KnownEmbedder& embedder) : all(embedder) {}
    at::Tensor embed(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) override {
      at::Tensor batch = at::empty({static_cast<std::int64_t>(offsets.size()) - 1, all.width()}, all.rows_.options());
      for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
        const auto sentence = ids.subspan(offsets[s], offsets[s + 1] - offsets[s]);
        batch[static_cast<std::int64_t>(s)].copy_(all.rows_[all.numbers_.at({sentence.begin(), sentence.end()})]);
      }
      return batch.to(all.device_);
    }
    const KnownEmbedder& all;
  };

  at::Tensor rows_;
  at::Device device_;
  std::map<std::vector<std::uint32_t>, std::int64_t> numbers_;
};

/// Bytes that LibTorch copies from a GPU to the host while an object lives.
class BytesToHost {
 public:
  BytesToHost()
      : callback_(at::addGlobalCallback(
            at::RecordFunctionCallback(&count).needsInputs(true).scopes({at::RecordScope::FUNCTION}))) {
    bytes = 0;
  }
  ~BytesToHost() { at::removeCallback(callback_); }
  BytesToHost(const BytesToHost&) = delete;
  BytesToHost& operator=(const BytesToHost&) = delete;

  static inline std::atomic<std::int64_t> bytes;

 private:
  static std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& call) {
    const c10::ArrayRef<const c10::IValue> inputs = call.inputs();
    if (std::string_view(call.name()) == "aten::copy_" && inputs[1].toTensor().is_cuda() &&
        !inputs[0].toTensor().is_cuda())
      bytes += static_cast<std::int64_t>(inputs[1].toTensor().nbytes());
    return nullptr;
  }

  at::CallbackHandle callback_;
};

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
  for (const Similarity kind : {Similarity::per_dimension, Similarity::joint, Similarity::wasserstein}) {
    SCOPED_TRACE(name_of(kind));
    const NliTask sick = task(sick_full(), "0.3", {}, kind);
    const at::Tensor rows = embeddings(sick, pairs);
    const auto measured_on = [&](at::Device device) {
      KnownEmbedder model(sick.sentences(), rows, device);
      return sick.measure(model, *make_self_communicator(), {});
    };
    const BytesToHost counts;
    const Measurement on_gpu = measured_on(device_of_goldens);
    // In float32 for each pair: the similarity, or those of both directions, and two logarithms of deviations.
    EXPECT_EQ(BytesToHost::bytes, (has_direction(kind) ? 4 : 3) * 4 * static_cast<std::int64_t>(pairs.size()));
    const Measurement on_cpu = measured_on(at::kCPU);
    std::vector<const char*> columns{"sim_hypothesis_premise", "log_std_premise", "log_std_hypothesis"};
    if (has_direction(kind)) columns.push_back("sim_premise_hypothesis");
    for (const char* name : columns) {
      SCOPED_TRACE(name);
      expect_close(column<float>(on_gpu, name), column<float>(on_cpu, name));
    }
    ASSERT_EQ(on_gpu.figures.size(), on_cpu.figures.size());
    for (std::size_t i = 0; i < on_gpu.figures.size(); ++i) {
      const double value = on_gpu.figures[i].value, expected = on_cpu.figures[i].value;
      EXPECT_TRUE(std::isnan(expected) ? std::isnan(value) : std::abs(value - expected) < 1e-6)
          << on_cpu.figures[i].name;
    }
  }
}

TEST_F(GpuNliTask, CosinesAndScoresOfMtebAreThoseOfTheCpu) {
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
  const at::Tensor within = embed_sentences_in_place(model, sick.sentences(), *alone, bytes);
  EXPECT_EQ(within.device(), device_of_goldens);
  EXPECT_TRUE(within.cpu().equal(rows));
  const at::Tensor beyond = embed_sentences_in_place(model, sick.sentences(), *alone, bytes - 1);
  EXPECT_TRUE(beyond.is_cpu());
  EXPECT_TRUE(beyond.equal(rows));
}

}  // namespace
}  // namespace gausscse::testing_support::nli_task
