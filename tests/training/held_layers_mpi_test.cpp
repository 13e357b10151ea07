#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>

#include "dist/monitored_communicator.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/small_batch.hpp"
#include "tests/training/training_systems.hpp"
#include "tests/training/whole_step.hpp"
#include "training/optimizer.hpp"
#include "training/training_step.hpp"

// Tests of training.parameters: {from_layer: k}. Whole trainings are compared with PyTorch in
// train_trial_golden_test.cpp, the optimizer in optimizer_test.cpp.

namespace gausscse {
namespace {

struct WayToCompute {
  at::ScalarType type;
  std::int64_t micro_batch, virtual_shards;
  CandidateExchange exchange;
};

/// Returns an encoder with random weights of which the layers from `layer` on are trained.
SentenceEncoderSettings trained_from(const TrainingSystem& system, std::int64_t layer, at::ScalarType type,
                                     bool fixed_tiles) {
  SentenceEncoderSettings settings = system.encoder(type, fixed_tiles);
  settings.first_trained_layer = layer;
  return settings;
}

/// The gradients of the trained parameters are those of a whole backward with dropout, in float64 and one process.
TEST(HeldLayers, LeaveTheOtherGradientsAsTheyAre) {
  const auto ranks = make_mpi_communicator();
  const RandomSentences sentences = sentences_of(0);
  for (std::size_t number = 0; number < training_systems().size(); ++number) {
    const TrainingSystem& system = training_systems()[number];
    const ConfiguredObjective objective = system.make();
    const auto& [reference, expected] = whole_step(number, true);
    for (const std::int64_t layer : {0, 1}) {
      for (const WayToCompute& how : {WayToCompute{at::kDouble, 0, 0, CandidateExchange::gather},
                                      WayToCompute{at::kDouble, 2, 0, CandidateExchange::ring},
                                      WayToCompute{at::kFloat, 3, 0, CandidateExchange::gather},
                                      WayToCompute{at::kDouble, 1, 5, CandidateExchange::gather}}) {
        SCOPED_TRACE(concat(system.name, ", from layer ", layer, ", micro-batch ", how.micro_batch));
        SentenceEncoder encoder(trained_from(system, layer, how.type, how.virtual_shards > 0));
        ParameterStore& parameters = encoder.parameters();
        randomize(parameters, 1);
        TrainingStep step(encoder, objective, *ranks, {3, true, how.micro_batch, how.virtual_shards, how.exchange});
        const auto result =
            run_step(step, 5,
                     how.virtual_shards > 0 ? shares_of_shards(batch_size, how.virtual_shards, ranks->size())
                                            : ways_to_share(ranks->size()).back(),
                     reader_of(sentences, objective.roles(), system.divisor));
        const bool wide = how.type == at::kDouble;
        EXPECT_NEAR(result.loss, expected.loss, wide ? 1e-11 : 1e-5);
        std::int64_t trained = 0;
        for (const ParameterSpec& spec : parameters.specs()) {
          const bool is_held = spec.name.starts_with("embeddings.") ||
                               spec.name.starts_with("encoder.relative_attention_bias.") ||
                               (layer > 0 && spec.name.starts_with("encoder.layer.0."));
          EXPECT_EQ(parameters.is_trained(parameters.index_of(spec.name)), !is_held) << spec.name;
          if (is_held) continue;
          const at::Tensor truth = reference->parameters().gradient(spec.name);
          trained += truth.numel();
          const double largest = truth.abs().max().item<double>();
          // The keys' bias has no gradient: softmax does not see it.
          if (largest < 1e-9) continue;
          const double error = (parameters.gradient(spec.name).to(at::kDouble) - truth).abs().max().item<double>();
          EXPECT_LE(error / largest, wide ? 1e-10 : 5e-6 * system.cancellation) << spec.name;
        }
        EXPECT_EQ(parameters.gradients().numel(), trained);
      }
    }
  }
}

/// Trains the second layer and the head for four steps, with dropout, and gives all weights.
at::Tensor train_second_layer(Communicator& communicator, const TrainingSystem& system, std::int64_t micro_batch) {
  const ConfiguredObjective objective = system.make();
  SentenceEncoder encoder(trained_from(system, 1, at::kFloat, true));
  randomize(encoder.parameters(), 1);
  constexpr std::int64_t shards = 5;
  TrainingStep step(encoder, objective, communicator,
                    {.seed = 3, .dropout = true, .micro_batch = micro_batch, .virtual_shards = shards});
  Optimizer optimizer(encoder.parameters(), {.weight_decay = 0.1, .head_factor = 4, .head = encoder.end_of_encoder()});
  for (std::int64_t number = 0; number < 4; ++number) {
    const RandomSentences sentences = sentences_of(number);
    run_step(step, number, shares_of_shards(batch_size, shards, communicator.size()),
             reader_of(sentences, objective.roles(), system.divisor));
    optimizer.squared_gradient_norm();
    optimizer.step(1e-3);
    encoder.parameters_changed();
  }
  return encoder.parameters().values().clone();
}

TEST(HeldLayers, HaveTheSameBitsForAnyRanksAndMicroBatches) {
  const auto ranks = make_mpi_communicator();
  const auto alone = make_self_communicator();
  for (const std::size_t number : {std::size_t{1}, std::size_t{6}, std::size_t{12}}) {
    const TrainingSystem& system = training_systems()[number];
    SCOPED_TRACE(system.name);
    SentenceEncoder initial(trained_from(system, 1, at::kFloat, true));
    randomize(initial.parameters(), 1);
    const std::int64_t held = initial.parameters().first_trained();
    const at::Tensor expected = train_second_layer(*alone, system, 0);
    for (const std::int64_t micro_batch : {0, 3})
      EXPECT_TRUE(train_second_layer(*ranks, system, micro_batch).equal(expected)) << micro_batch;
    EXPECT_TRUE(expected.narrow(0, 0, held).equal(initial.parameters().values().narrow(0, 0, held)));
    EXPECT_FALSE(expected.slice(0, held).equal(initial.parameters().values().slice(0, held)));
  }
}

/// Communicator that counts the elements of sums over ranks.
class CountsSummedElements : public MonitoredCommunicator {
 public:
  CountsSummedElements() : MonitoredCommunicator(make_mpi_control_group(), make_mpi_collectives(), nullptr, false) {}
  void run(const TensorCall& call) override {
    if (call.collective == Collective::all_reduce_sum) summed.push_back(call.data.numel());
    MonitoredCommunicator::run(call);
  }
  std::unique_ptr<PendingCollective> begin(const TensorCall& call) override {
    if (call.collective == Collective::all_reduce_sum) summed.push_back(call.data.numel());
    return MonitoredCommunicator::begin(call);
  }

  std::vector<std::int64_t> summed;
};

/// Ranks sum the gradients of trained parameters alone.
TEST(HeldLayers, AreNotPartOfSumsOverRanks) {
  const TrainingSystem& system = training_systems()[1];
  const ConfiguredObjective objective = system.make();
  SentenceEncoder encoder(trained_from(system, 1, at::kFloat, false));
  randomize(encoder.parameters(), 1);
  CountsSummedElements ranks;
  TrainingStep step(encoder, objective, ranks, {.seed = 3});
  run_step(step, 0, ways_to_share(ranks.size()).front(), reader_of(sentences_of(0)));
  ASSERT_EQ(ranks.summed.size(), 2u) << "gradients, and the totals of the step";
  EXPECT_EQ(ranks.summed.front(), encoder.parameters().values().numel() - encoder.parameters().first_trained());
}

/// Layers without a backward keep nothing for one: a second held layer takes no memory.
TEST(HeldLayers, KeepNoActivations) {
  const TrainingSystem& system = training_systems()[1];
  const RandomSentences sentences = sentences_of(0);
  std::vector<std::int64_t> bytes;
  for (const std::int64_t layers : {3, 4, 5}) {
    SentenceEncoderSettings settings = trained_from(system, layers - 1, at::kFloat, false);
    settings.encoder.layers = layers;
    SentenceEncoder encoder(settings);
    randomize(encoder.parameters(), 1);
    SentenceActivations kept;
    encoder.forward(
        encoder.prepared(pack_sentences(sentences.ids, sentences.offsets, {}, encoder.position_offset()), true),
        nullptr, &kept);
    bytes.push_back(kept.bytes());
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(bytes[1], bytes[2]);
}

}  // namespace
}  // namespace gausscse
