#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include "dist/nccl/device_collectives.hpp"
#include "dist/staged/collectives.hpp"
#include "tests/dist/forwarding_collectives.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/small_batch.hpp"
#include "tests/training/training_systems.hpp"
#include "tests/training/whole_step.hpp"
#include "training/frozen_encoder.hpp"
#include "training/gradient_reduction.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

enum class Transport { staged, nccl };

struct Case {
  Transport transport;
  std::int64_t micro_batch;
  CandidateExchange exchange;
  std::int64_t bucket;
};

/// NCCL's stand-in moves memory of the GPU from this process, which a GPU does by itself.
class NcclOnGpu : public ForwardingCollectives {
 public:
  using ForwardingCollectives::ForwardingCollectives;

  void run(const TensorCall& call) override {
    const pretended_gpu::Access access;
    host().run(call);
  }
  std::unique_ptr<PendingCollective> begin(const TensorCall& call) override {
    const pretended_gpu::Access access;
    return host().begin(call);
  }
};

std::unique_ptr<Collectives> collectives_by(Transport transport) {
  if (transport == Transport::staged) return make_staged_collectives(make_mpi_collectives());
  const auto ranks = make_mpi_control_group();
  // Bytes of any value, which texts of ranks may be.
  const std::string id = ranks->all_gather_text(ranks->is_root() ? detail::new_nccl_id() : std::string()).front();
  auto nccl = std::make_unique<NcclOnGpu>(std::make_unique<detail::NcclCollectives>(
      make_mpi_collectives(), ranks->rank(), ranks->size(), at::Device(at::kCUDA, 0), id, detail::NcclLimits{}));
  ranks->barrier();
  return nccl;
}

/// Notes the sums of gradients that were begun before the word embeddings had one, the last that a backward makes, and
/// those begun before the first layer had. Until a sum is waited for, its elements are not numbers.
class RecordingCollectives : public ForwardingCollectives {
 public:
  struct Sum {
    std::int64_t first, count;
    bool before_words, before_first_layer;
  };

  RecordingCollectives(std::unique_ptr<Collectives> host, ParameterStore& parameters, std::vector<Sum>& begun)
      : ForwardingCollectives(std::move(host)), parameters_(parameters), begun_(begun) {}

  std::unique_ptr<PendingCollective> begin(const TensorCall& call) override {
    const at::Tensor& data = call.data;
    // A weight's gradient keeps the last step's values until a matmul writes it.
    begun_.push_back({data.storage_offset(), data.numel(), has_none("embeddings.word_embeddings.weight"),
                      has_none("encoder.layer.0.attention.output.LayerNorm.weight")});
    at::Tensor sum = data.clone();
    host().all_reduce_sum(sum);
    data.fill_(std::numeric_limits<double>::quiet_NaN());
    return std::make_unique<Late>(data, sum);
  }

 private:
  class Late : public PendingCollective {
   public:
    Late(at::Tensor data, at::Tensor sum) : data_(std::move(data)), sum_(std::move(sum)) {}
    void wait() override { data_.copy_(sum_); }

   private:
    at::Tensor data_, sum_;
  };

  bool has_none(const char* parameter) { return parameters_.gradient(parameter).cpu().abs().max().item<double>() == 0; }

  ParameterStore& parameters_;
  std::vector<Sum>& begun_;
};

class PretendedGpuTrainingStep : public testing::TestWithParam<std::tuple<Case, std::size_t>> {};

/// Each rank has its own GPU; embeddings, gradients of candidates and of parameters go through the host or by NCCL.
TEST_P(PretendedGpuTrainingStep, GivesTheGradientsOfOneCpu) {
  const auto& [how, number] = GetParam();
  const TrainingSystem& system = training_systems()[number];
  SCOPED_TRACE(system.name);
  const auto ranks = ranks_with(collectives_by(how.transport));
  const RandomSentences sentences = sentences_of(0);
  const ConfiguredObjective objective = system.make();
  const ExampleReader read = reader_of(sentences, objective.roles(), system.divisor);
  const auto& [reference, expected] = whole_step(number, true);

  SentenceEncoderSettings settings = system.encoder(at::kFloat, false);
  settings.device = at::Device(at::kCUDA, 0);
  SentenceEncoder encoder(settings);
  encoder.parameters().values().copy_(reference->parameters().values().to(at::kFloat));
  encoder.parameters_changed();
  TrainingStep step(encoder, objective, *ranks,
                    {.seed = 3, .micro_batch = how.micro_batch, .exchange = how.exchange, .bucket = how.bucket});
  for (const auto& shares : ways_to_share(ranks->size())) {
    const auto result = run_step(step, 5, shares, read);
    EXPECT_NEAR(result.loss, expected.loss, 1e-5);
    EXPECT_EQ(result.tokens, expected.tokens);
    const at::Tensor gradients = encoder.parameters().gradients().cpu().to(at::kDouble);
    for (std::size_t i = 0; i < reference->parameters().size(); ++i) {
      const ParameterSpec& spec = reference->parameters().specs()[i];
      const at::Tensor truth = reference->parameters().gradient(spec.name).flatten();
      const double largest = truth.abs().max().item<double>();
      // The keys' bias has no gradient: softmax does not see it.
      if (largest < 1e-9) continue;
      const at::Tensor found = gradients.narrow(0, encoder.parameters().offset(i), encoder.parameters().count(i));
      EXPECT_LE((found - truth).abs().max().item<double>() / largest, 1e-5 * system.cancellation) << spec.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PretendedGpuTrainingStep,
    testing::Combine(testing::Values(Case{Transport::staged, 0, CandidateExchange::gather, usual_bucket},
                                     Case{Transport::staged, 3, CandidateExchange::ring, 200},
                                     Case{Transport::nccl, 3, CandidateExchange::gather, 200},
                                     Case{Transport::nccl, 0, CandidateExchange::ring, usual_bucket}),
                     testing::Range<std::size_t>(0, training_systems().size())));

/// Vectors come from the GPU, are kept on the host, and go back to it for the head.
TEST(PretendedGpuFrozenEncoder, GivesTheHeadsGradientsOfOneCpu) {
  for (std::size_t number = 0; number < training_systems().size(); ++number) {
    const TrainingSystem& system = training_systems()[number];
    if (system.head.scale != MeanScale::unit) continue;
    SCOPED_TRACE(system.name);
    const auto ranks = ranks_with(collectives_by(Transport::staged));
    const RandomSentences sentences = sentences_of(0);
    const ConfiguredObjective objective = system.make();
    const auto& [reference, expected] = whole_step(number, false);
    SentenceEncoderSettings settings = system.encoder(at::kFloat, false);
    settings.device = at::Device(at::kCUDA, 0);
    SentenceEncoder encoder(settings);
    encoder.parameters().values().copy_(reference->parameters().values().to(at::kFloat));
    encoder.parameters_changed();
    FrozenEncoder frozen(encoder);
    ParameterStore& parameters = frozen.trained().parameters();
    ASSERT_TRUE(parameters.values().is_cuda());
    TrainingStep step(frozen.trained(), objective, *ranks, {.seed = 3, .micro_batch = 3, .bucket = 200});
    const auto result = run_step(step, 5, ways_to_share(ranks->size()).back(), reader_of(sentences, objective.roles()));
    EXPECT_NEAR(result.loss, expected.loss, 1e-5);
    const at::Tensor gradients = parameters.gradients().cpu().to(at::kDouble);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const ParameterSpec& spec = parameters.specs()[i];
      const at::Tensor truth = reference->parameters().gradient(spec.name).flatten();
      const at::Tensor found = gradients.narrow(0, parameters.offset(i), parameters.count(i));
      EXPECT_LE((found - truth).abs().max().item<double>() / truth.abs().max().item<double>(),
                1e-5 * system.cancellation)
          << spec.name;
    }
  }
}

/// Buckets have whole parameters, the last first, each element once; one is summed as soon as the backward of the last
/// micro-batch is through its layers.
TEST(PretendedGpuGradients, AreSummedInBucketsWhileTheBackwardRuns) {
  const TrainingSystem& system = training_systems()[1];
  const ConfiguredObjective objective = system.make();
  SentenceEncoderSettings settings = system.encoder(at::kFloat, false);
  settings.device = at::Device(at::kCUDA, 0);
  SentenceEncoder encoder(settings);
  SentenceEncoder on_cpu(system.encoder(at::kFloat, false));
  randomize(on_cpu.parameters(), 1);
  encoder.parameters().values().copy_(on_cpu.parameters().values());
  encoder.parameters_changed();
  const auto layer_begin = [&](const char* layer) {
    return encoder.parameters().offset(
        encoder.parameters().index_of(concat("encoder.layer.", layer, ".attention.self.query.weight")));
  };
  const std::int64_t first_layer = layer_begin("0"), second_layer = layer_begin("1");
  std::vector<RecordingCollectives::Sum> begun;
  const auto ranks = ranks_with(std::make_unique<RecordingCollectives>(make_staged_collectives(make_mpi_collectives()),
                                                                       encoder.parameters(), begun));
  const RandomSentences sentences = sentences_of(0);
  constexpr std::int64_t bucket = 200;
  TrainingStep step(encoder, objective, *ranks, {.seed = 3, .micro_batch = 2, .bucket = bucket});
  const std::vector<std::int64_t> shares = ways_to_share(ranks->size()).front();
  for (int repeat = 0; repeat < 2; ++repeat) {
    begun.clear();
    // One piece a rank, so that no piece before it has given the word embeddings a gradient.
    TrainingStep whole(encoder, objective, *ranks, {.seed = 3, .bucket = bucket});
    run_step(whole, 5, shares, reader_of(sentences));
    ASSERT_GT(begun.size(), 4u);
    std::int64_t end = encoder.parameters().values().numel();
    for (std::size_t i = 0; i < begun.size(); ++i) {
      const auto& [first, count, before_words, before_first_layer] = begun[i];
      EXPECT_EQ(first + count, end);
      end = first;
      EXPECT_EQ(before_words, first >= first_layer) << i;
      EXPECT_EQ(before_first_layer, first >= second_layer) << i;
    }
    EXPECT_EQ(end, 0);
    EXPECT_TRUE(encoder.parameters().gradients().cpu().isfinite().all().item<bool>()) << "not all sums were waited for";
    const std::size_t of_one_micro_batch = begun.size();
    begun.clear();
    run_step(step, 5, shares, reader_of(sentences));
    EXPECT_EQ(begun.size(), of_one_micro_batch) << "pieces before the last sum nothing";
  }
}

/// Once another rank may have a part of a sum, a rank that memory is refused to cannot go through its backward again.
TEST(PretendedGpuGradients, ABackwardBeginsAgainUntilItsFirstSum) {
  for (const at::Device device : {at::Device(at::kCUDA, 0), at::Device(at::kCPU)}) {
    SCOPED_TRACE(device.str());
    const auto ranks = ranks_with(make_staged_collectives(make_mpi_collectives()));
    const auto reduction = make_fast_reduction(*ranks, CandidateExchange::gather, 1);
    SentenceEncoderSettings settings = training_systems()[1].encoder(at::kFloat, false);
    settings.device = device;
    SentenceEncoder encoder(settings);
    ParameterStore& parameters = encoder.parameters();
    const std::int64_t last = parameters.offset(parameters.size() - 1);
    const double own = ranks->rank() + 1, all = ranks->size() * (ranks->size() + 1) / 2.0;
    for (int step = 0; step < 2; ++step) {
      reduction->begin_backward(encoder);
      EXPECT_TRUE(reduction->can_begin_again());
      parameters.gradients().fill_(own);
      reduction->gradients_are_ready(parameters, last + 1);
      EXPECT_TRUE(reduction->can_begin_again()) << "no parameter is whole";
      reduction->gradients_are_ready(parameters, last);
      // On CPUs all gradients are summed at the end, and one rank has nobody to disturb.
      EXPECT_EQ(reduction->can_begin_again(), device.is_cpu() || ranks->size() == 1);
      reduction->end_backward(parameters);
      EXPECT_TRUE(reduction->can_begin_again());
      EXPECT_TRUE(parameters.gradients().cpu().eq(all).all().item<bool>());
    }
  }
}

}  // namespace
}  // namespace gausscse
