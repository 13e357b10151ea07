#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cos.h>

#include "model/sentence_encoder.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

struct Case {
  PoolingKind pooling;
  HeadKind head;
  Precision precision;
  double tolerance;  ///< times the largest magnitude of the compared values
  EncoderConfig::Architecture architecture = EncoderConfig::Architecture::bert;
};

class GpuEncoder : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override { GAUSSCSE_SKIP_WITHOUT_GPU(); }
};

struct Outcome {
  at::Tensor embeddings, gradients, gradients_of_two;
};

/// Returns one step with dropout, whose masks are the same on every device.
Outcome outcome_on(at::Device device, const Case& of) {
  SentenceEncoderSettings settings = small_settings(of.architecture, at::kFloat, of.precision);
  settings.pooling = of.pooling;
  settings.head.kind = of.head;
  SentenceEncoder on_cpu(settings);
  randomize(on_cpu.parameters(), 5);
  settings.device = device;
  SentenceEncoder encoder(settings);
  encoder.parameters().values().copy_(on_cpu.parameters().values());
  encoder.parameters_changed();

  const RandomSentences sentences = random_sentences(40, 3, 68);
  const PackedBatch batch = pack_sentences(sentences.ids, sentences.offsets, {}, encoder.position_offset());
  const DropoutStep dropout = DropoutStep::of(11, 4);
  SentenceActivations activations;
  const at::Tensor embeddings = encoder.forward(batch, &dropout, &activations).clone();
  // As in two steps: of two micro-batches, then of one.
  const at::Tensor grad = at::cos(at::arange(embeddings.numel(), at::kFloat)).view_as(embeddings);
  const auto gradients_of = [&](int micro_batches) {
    encoder.clear_gradients();
    for (int i = 0; i < micro_batches; ++i) encoder.backward(activations, grad.to(device, at::kFloat, false, true));
    encoder.finish_gradients(0);
    return encoder.parameters().gradients().cpu().clone();
  };
  const at::Tensor of_two = gradients_of(2);
  return {embeddings.cpu(), gradients_of(1), of_two};
}

TEST_P(GpuEncoder, IsThatOfTheCpu) {
  const Outcome here = outcome_on(at::kCPU, GetParam()), there = outcome_on(gpu, GetParam());
  for (const auto& [a, b] : {std::pair(here.embeddings, there.embeddings), std::pair(here.gradients, there.gradients),
                             std::pair(here.gradients_of_two, there.gradients_of_two)})
    EXPECT_LE((a - b).abs().max().item<double>(), GetParam().tolerance * a.abs().max().item<double>());
}

TEST_P(GpuEncoder, HasTheSameBitsAgain) {
  const Outcome once = outcome_on(gpu, GetParam()), again = outcome_on(gpu, GetParam());
  EXPECT_TRUE(once.embeddings.equal(again.embeddings));
  EXPECT_TRUE(once.gradients.equal(again.gradients));
  EXPECT_TRUE(once.gradients_of_two.equal(again.gradients_of_two));
}

INSTANTIATE_TEST_SUITE_P(
    Systems, GpuEncoder,
    testing::Values(Case{PoolingKind::first_token, HeadKind::gaussian, Precision::full, 2e-5},
                    Case{PoolingKind::first_token, HeadKind::gaussian, Precision::bfloat16, 4e-2},
                    Case{PoolingKind::mean, HeadKind::mlp_tanh, Precision::full, 2e-5},
                    Case{PoolingKind::max, HeadKind::none, Precision::full, 2e-5},
                    Case{PoolingKind::mean, HeadKind::none, Precision::full, 2e-5, EncoderConfig::Architecture::mpnet},
                    Case{PoolingKind::first_token, HeadKind::gaussian, Precision::bfloat16, 4e-2,
                         EncoderConfig::Architecture::mpnet},
                    Case{PoolingKind::mean, HeadKind::none, Precision::full, 2e-5,
                         EncoderConfig::Architecture::distilbert},
                    Case{PoolingKind::mean_without_first, HeadKind::gaussian, Precision::bfloat16, 4e-2}));

}  // namespace
}  // namespace gausscse
