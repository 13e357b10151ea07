#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cos.h>

#include "model/folder/model_folder.hpp"
#include "model/sentence_encoder.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/cublaslt_on_cpu/cublaslt_on_cpu.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Lengths = std::vector<std::uint32_t>;

const at::Device cpu(at::kCPU), gpu(at::kCUDA, 0);

struct Case {
  PoolingKind pooling;
  Precision precision;
  double tolerance;  ///< times the largest magnitude of the compared values
  EncoderConfig::Architecture architecture = EncoderConfig::Architecture::bert;
  bool by_tensor_cores = false;  ///< true if heads have a width that tensor cores compute in bfloat16

  /// Returns lengths of sentences, two of which take several tiles of attention.
  Lengths long_and_short() const { return by_tensor_cores ? Lengths{65, 4, 68} : Lengths{33, 4, 40}; }
};

PackedBatch packed(const Lengths& lengths, const SentenceEncoder& encoder) {
  std::vector<std::uint32_t> ids, offsets{0};
  for (const std::uint32_t length : lengths) {
    for (std::uint32_t i = 0; i < length; ++i) ids.push_back((7 * i + 3 * length) % 50);
    offsets.push_back(static_cast<std::uint32_t>(ids.size()));
  }
  return pack_sentences(ids, offsets, {}, encoder.position_offset());
}

/// One step, with dropout.
class Step {
 public:
  Step(at::Device device, const Case& of, const Lengths& lengths) : encoder_(settings_on(device, of)) {
    SentenceEncoder on_cpu(settings_on(cpu, of));
    randomize(on_cpu.parameters(), 5);
    encoder_.parameters().values().copy_(on_cpu.parameters().values());
    encoder_.parameters_changed();
    const DropoutStep dropout = DropoutStep::of(11, 4);
    const at::Tensor out = encoder_.forward(packed(lengths, encoder_), &dropout, &activations_);
    embeddings = out.cpu().clone();
    const at::Tensor grad = at::cos(at::arange(out.numel(), at::kFloat)).view_as(out);
    gradients_of_two = gradients_of(grad, 2);
    gradients = gradients_of(grad, 1);
  }

  /// Returns the statistics of each layer.
  std::vector<at::Tensor> statistics() const {
    std::vector<at::Tensor> of_layers;
    for (const LayerActivations& layer : activations_.encoder.layers)
      of_layers.push_back(layer.attention.result.statistics);
    return of_layers;
  }

  std::int64_t bytes() const { return activations_.bytes(); }

  at::Tensor embeddings, gradients, gradients_of_two;

 private:
  /// Returns the gradients of a step of so many equal micro-batches.
  at::Tensor gradients_of(const at::Tensor& grad, int micro_batches) {
    encoder_.clear_gradients();
    for (int i = 0; i < micro_batches; ++i)
      encoder_.backward(activations_, grad.to(encoder_.options().device(), at::kFloat, false, true));
    encoder_.finish_gradients(0);
    return encoder_.parameters().gradients().cpu().clone();
  }

  static SentenceEncoderSettings settings_on(at::Device device, const Case& of) {
    SentenceEncoderSettings settings = small_settings(of.architecture, at::kFloat, of.precision);
    settings.pooling = of.pooling;
    settings.device = device;
    if (of.by_tensor_cores) {
      settings.encoder.hidden_size = 64;
      settings.encoder.heads = 2;
    }
    return settings;
  }

  SentenceEncoder encoder_;
  SentenceActivations activations_;
};

constexpr Case of_first_tokens{PoolingKind::first_token, Precision::full, 2e-5};
constexpr Case by_tensor_cores{PoolingKind::first_token, Precision::bfloat16, 4e-2, EncoderConfig::Architecture::bert,
                               true};

class PretendedGpuEncoder : public testing::TestWithParam<Case> {};

TEST_P(PretendedGpuEncoder, OfLongSentencesIsThatOfTheCpu) {
  const Lengths lengths = GetParam().long_and_short();
  const Step here(cpu, GetParam(), lengths), there(gpu, GetParam(), lengths);
  for (const auto& [a, b] : {std::pair(here.embeddings, there.embeddings), std::pair(here.gradients, there.gradients),
                             std::pair(here.gradients_of_two, there.gradients_of_two)})
    EXPECT_LE((a - b).abs().max().item<double>(), GetParam().tolerance * a.abs().max().item<double>());
}

INSTANTIATE_TEST_SUITE_P(
    Systems, PretendedGpuEncoder,
    testing::Values(of_first_tokens, Case{PoolingKind::first_token, Precision::bfloat16, 4e-2},
                    Case{PoolingKind::mean, Precision::full, 2e-5, EncoderConfig::Architecture::mpnet}, by_tensor_cores,
                    Case{PoolingKind::mean, Precision::bfloat16, 4e-2, EncoderConfig::Architecture::mpnet, true},
                    Case{PoolingKind::first_token, Precision::full, 2e-5, EncoderConfig::Architecture::nomic_bert},
                    Case{PoolingKind::mean, Precision::full, 2e-5, EncoderConfig::Architecture::modernbert},
                    Case{PoolingKind::first_token, Precision::bfloat16, 4e-2,
                         EncoderConfig::Architecture::modernbert}));

/// docs/developers/gpu_kernels.md describes when a matmul sums the columns.
TEST(PretendedGpuEncoderMatmuls, SumTheBiasOfQueriesKeysAndValues) {
  const auto of_step = [](bool sums_columns) {
    cublaslt_on_cpu::behaviour().sums_columns = sums_columns;
    const auto before = cublaslt_on_cpu::counts();
    const std::int64_t kernels_before = pretended_gpu::counts().kernels;
    const Step step(gpu, {PoolingKind::first_token, Precision::bfloat16, 4e-2}, {2, 9});
    const auto after = cublaslt_on_cpu::counts();
    cublaslt_on_cpu::behaviour() = {};
    return std::tuple(after.matmuls - before.matmuls, after.with_sums - before.with_sums,
                      pretended_gpu::counts().kernels - kernels_before, step.gradients);
  };
  const auto [matmuls, with_sums, kernels, gradients] = of_step(true);
  const auto [same_matmuls, without_sums, more_kernels, same_gradients] = of_step(false);
  // A forward and three backwards of two layers and the head. The last layer has queries of its own.
  EXPECT_EQ(matmuls, (4 + 5 + 1) + 3 * (8 + 10 + 2));
  // The first micro-batch of both steps, in the layer that is not the last.
  EXPECT_EQ(with_sums, 2);
  EXPECT_EQ(without_sums, 0);
  EXPECT_EQ(same_matmuls, matmuls);
  EXPECT_EQ(more_kernels - kernels, 2);
  EXPECT_LE((gradients - same_gradients).abs().max().item<double>(), 1e-6 * gradients.abs().max().item<double>());
}

TEST(PretendedGpuEncoderStatistics, AreKeptOfLongSentencesOnGpusAlone) {
  const auto of_long = Step(gpu, of_first_tokens, {2, 33}).statistics();
  ASSERT_EQ(of_long.size(), 2u);
  // Three heads; the last layer has the queries of first tokens.
  EXPECT_EQ(of_long[0].sizes(), at::IntArrayRef({35, 6}));
  EXPECT_EQ(of_long[1].sizes(), at::IntArrayRef({2, 6}));
  for (const at::Tensor& statistics : Step(gpu, of_first_tokens, {2, 32}).statistics())
    EXPECT_FALSE(statistics.defined());
  for (const at::Tensor& statistics : Step(cpu, of_first_tokens, {2, 33}).statistics())
    EXPECT_FALSE(statistics.defined());
}

TEST(PretendedGpuEncoderStatistics, OfTensorCoresAreKeptOfSentencesOfSeveralBlocks) {
  const auto of_long = Step(gpu, by_tensor_cores, {2, 65}).statistics();
  ASSERT_EQ(of_long.size(), 2u);
  // Two heads.
  EXPECT_EQ(of_long[0].sizes(), at::IntArrayRef({67, 4}));
  EXPECT_EQ(of_long[1].sizes(), at::IntArrayRef({2, 4}));
  for (const at::Tensor& statistics : Step(gpu, by_tensor_cores, {2, 64}).statistics())
    EXPECT_FALSE(statistics.defined());
}

TEST(PretendedGpuEncoderStatistics, AreCountedAmongWhatAStepKeeps) {
  // Two numbers for each of three heads of 35 queries, and of 2; a tenth more is held of each.
  EXPECT_EQ(Step(gpu, of_first_tokens, {2, 33}).bytes() - Step(cpu, of_first_tokens, {2, 33}).bytes(),
            4 * (35 * 6 + 21) + 4 * (2 * 6 + 1));
  EXPECT_EQ(Step(gpu, of_first_tokens, {2, 32}).bytes(), Step(cpu, of_first_tokens, {2, 32}).bytes());
}

TEST(PretendedGpuInt8, IsRefused) {
  auto settings = small_settings(EncoderConfig::Architecture::bert, at::kFloat, Precision::int8);
  settings.device = gpu;
  EXPECT_THROW(SentenceEncoder{settings}, InputError);
}

TEST(PretendedGpuSavedModel, OpensOnTheDeviceThatIsAskedFor) {
  const TemporaryFolder folder;
  SentenceEncoder saved(small_settings(EncoderConfig::Architecture::bert, at::kFloat));
  randomize(saved.parameters(), 5);
  write_bytes(folder / "vocab.txt", "[PAD]\n");
  ModelProperties properties;
  properties.max_tokens = 17;
  properties.state = "best";
  save_model(folder / "model", saved, properties, {folder / "vocab.txt"}, "card\n");
  for (const at::Device device : {cpu, gpu}) {
    const SavedModel opened = open_model(folder / "model", std::nullopt, device);
    EXPECT_EQ(opened.encoder->options().device(), device);
    EXPECT_TRUE(opened.encoder->parameters().values().cpu().equal(saved.parameters().values()));
  }
}

}  // namespace
}  // namespace gausscse
