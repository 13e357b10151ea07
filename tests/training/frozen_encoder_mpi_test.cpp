#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros_like.h>

#include "tests/support/testing.hpp"
#include "tests/training/small_batch.hpp"
#include "tests/training/training_systems.hpp"
#include "tests/training/whole_step.hpp"
#include "training/frozen_encoder.hpp"
#include "training/optimizer.hpp"
#include "training/training_step.hpp"

namespace gausscse {
namespace {

/// Returns whether a head alone can be trained: there is one, and vectors do not depend on the batch.
bool has_head_alone(const TrainingSystem& system) {
  return system.head.kind != HeadKind::none && system.divisor == PoolingDivisor::tokens;
}

/// The gradients of head and objective are those of the whole model without dropout, in one process.
TEST(FrozenEncoder, HasTheGradientsOfTheWholeModel) {
  const auto ranks = make_mpi_communicator();
  std::size_t compared = 0;
  for (std::size_t number = 0; number < training_systems().size(); ++number) {
    const TrainingSystem& system = training_systems()[number];
    if (!has_head_alone(system)) continue;
    SCOPED_TRACE(system.name);
    const RandomSentences sentences = sentences_of(0);
    const ConfiguredObjective objective = system.make();
    const auto& [reference, expected] = whole_step(number, /*dropout=*/false);
    for (const at::ScalarType type : {at::kDouble, at::kFloat})
      for (const std::int64_t micro_batch : {0, 2})
        for (const std::int64_t shards : {0, 5}) {
          SentenceEncoder encoder(system.encoder(type, shards > 0));
          randomize(encoder.parameters(), 1);
          encoder.parameters_changed();
          const at::Tensor before = encoder.parameters().values().clone();
          FrozenEncoder frozen(encoder);
          ParameterStore& parameters = frozen.trained().parameters();
          TrainingStep step(frozen.trained(), objective, *ranks, {3, true, micro_batch, shards});
          const std::vector<std::int64_t> shares =
              shards > 0 ? shares_of_shards(batch_size, shards, ranks->size()) : ways_to_share(ranks->size()).back();
          const auto result = run_step(step, 5, shares, reader_of(sentences, objective.roles()));
          const bool wide = type == at::kDouble;
          EXPECT_NEAR(result.loss, expected.loss, wide ? 1e-11 : 1e-5);
          EXPECT_EQ(result.tokens, expected.tokens);
          ASSERT_FALSE(parameters.specs().empty());
          for (const ParameterSpec& spec : parameters.specs()) {
            ASSERT_TRUE(spec.name.starts_with("head.") || spec.name.starts_with("objective.")) << spec.name;
            const at::Tensor truth = reference->parameters().gradient(spec.name);
            const double largest = truth.abs().max().item<double>();
            if (largest < 1e-9) continue;
            const double error = (parameters.gradient(spec.name).to(at::kDouble) - truth).abs().max().item<double>();
            EXPECT_LE(error / largest, wide ? 1e-10 : 5e-6) << spec.name;
            ++compared;
          }
          EXPECT_TRUE(encoder.parameters().values().equal(before));
        }
  }
  EXPECT_GT(compared, 100u);
}

/// Trains a head alone for four steps, in int8's vectors or float32's.
at::Tensor train_head_rank_invariantly(Communicator& communicator, const TrainingSystem& system, Precision precision,
                                       int threads, std::int64_t micro_batch) {
  const ConfiguredObjective objective = system.make();
  SentenceEncoderSettings settings = system.encoder(at::kFloat, true);
  settings.precision = precision;
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 1);
  encoder.parameters_changed();
  FrozenEncoder frozen(encoder);
  constexpr std::int64_t shards = 5;
  TrainingStep step(frozen.trained(), objective, communicator,
                    {.seed = 3, .dropout = true, .micro_batch = micro_batch, .virtual_shards = shards});
  Optimizer optimizer(frozen.trained().parameters(), {});
  const int before = at::get_num_threads();
  at::set_num_threads(threads);
  for (std::int64_t number = 0; number < 4; ++number) {
    const RandomSentences sentences = sentences_of(number);
    run_step(step, number, shares_of_shards(batch_size, shards, communicator.size()),
             reader_of(sentences, objective.roles()));
    optimizer.squared_gradient_norm();
    optimizer.step(1e-3);
    frozen.trained().parameters_changed();
  }
  at::set_num_threads(before);
  frozen.take_trained();
  return encoder.parameters().values().clone();
}

TEST(FrozenEncoder, HasTheSameBitsForAnyRanksThreadsAndMicroBatches) {
  const auto ranks = make_mpi_communicator();
  const auto alone = make_self_communicator();
  // Threads that wait for each other on too few cores take long.
  const int threads = ranks->size() == 1 ? 3 : 1;
  for (const TrainingSystem& system : training_systems()) {
    if (system.head.kind != HeadKind::gaussian || system.head.scale != MeanScale::unit) continue;
    for (const Precision precision : {Precision::full, Precision::int8}) {
      SCOPED_TRACE(concat(system.name, ", ", name_of(precision)));
      const at::Tensor expected = train_head_rank_invariantly(*alone, system, precision, 1, 0);
      for (const std::int64_t micro_batch : {0, 3})
        EXPECT_TRUE(train_head_rank_invariantly(*ranks, system, precision, threads, micro_batch).equal(expected))
            << micro_batch;
    }
  }
}

}  // namespace
}  // namespace gausscse
