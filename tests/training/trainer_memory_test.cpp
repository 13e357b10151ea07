#include <exception>
#include <new>

#include "model/device/device_memory.hpp"
#include "model/objective/configured_objective.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/refusing_objective.hpp"
#include "tests/training/scripted_task.hpp"
#include "tests/training/triples_training.hpp"

namespace gausscse {
namespace {

/// Elements of the parameters of `small_settings` with a Gaussian head: three tables, two layers, two linear maps.
constexpr std::int64_t h = 24, wide = 40;
constexpr std::int64_t elements =
    (300 + 70 + 2) * h + 2 * h + 2 * (4 * (h * h + h) + 2 * (h * wide) + wide + h + 4 * h) + 2 * (h * h + h);

/// Trains on all ranks, with a checkpoint after each step and the best state kept from the first measurement on, until
/// memory is refused to the step behind `steps`. Exceptions go through.
void train(Communicator& communicator, int steps) {
  SentenceEncoder encoder(encoder_of_bytes());
  TaskList tasks;
  tasks.push_back({.task = std::make_unique<ScriptedTask>("dev", std::vector<double>{0.5}),
                   .eval_every = 100,
                   .development = true});
  const RefusingObjective objective(RefusedIn::evaluate, steps);
  RecordingObserver observer;
  Trial::Training training = six_steps();
  training.checkpoint_every = 1;
  RunResult result;
  train_on_triples(encoder, objective, tasks, communicator, observer,
                   {.training = training, .select = {"dev", "auprc"}}, true, result);
}

/// Returns the reported part `what`; one of no bytes where there is none.
MemoryPart part_of(const MemoryRefused& refused, const std::string& what) {
  for (const MemoryPart& part : refused.parts)
    if (part.what == what) return part;
  return {};
}

TEST(TrainerMemory, TellsOfParametersAndOfTheirCopies) {
  const auto ranks = make_mpi_communicator();
  // Before the first backward there are no gradients, and no checkpoint.
  for (const int steps : {0, 1}) {
    SCOPED_TRACE(steps);
    try {
      train(*ranks, steps);
      FAIL() << "memory is refused";
    } catch (const MemoryRefused& refused) {
      EXPECT_EQ(part_of(refused, "parameters with gradients and moments").bytes, (3 + steps) * elements * 4);
      const MemoryPart best = part_of(refused, "parameters of the best state");
      EXPECT_EQ(best.bytes, elements * 4);
      EXPECT_EQ(best.advice, "keep no best state (leave select out)");
      EXPECT_EQ(part_of(refused, "copy for checkpoints").bytes, ranks->is_root() ? steps * 4 * elements * 4 : 0);
      EXPECT_EQ(part_of(refused, "candidates with their gradient").growing, true);
      EXPECT_THROW(std::rethrow_if_nested(refused), std::bad_alloc);
    }
  }
}

/// A step of a training on all ranks with this available memory.
struct FittedStep {
  std::string halved;                 ///< text in the result
  std::vector<std::string> warnings;  ///< warnings of memory
};

FittedStep fitted(Communicator& communicator, std::int64_t available, std::int64_t micro_batch = 0,
                  std::int64_t virtual_shards = 0) {
  auto encoder_settings = encoder_of_bytes();
  encoder_settings.fixed_tiles = virtual_shards > 0;
  SentenceEncoder encoder(encoder_settings);
  const ConfiguredObjective objective({});
  RecordingObserver observer;
  Trial::Training training = six_steps();
  training.max_steps = 1;
  training.batch_size = 8 * communicator.size();
  training.micro_batch = micro_batch;
  RunResult result;
  train_on_triples(
      encoder, objective, {}, communicator, observer,
      {.training = training, .virtual_shards = virtual_shards, .available_memory = [&] { return available; }}, false,
      result);
  FittedStep step{result.halved_micro_batch, {}};
  for (const std::string& warning : observer.warnings)
    if (warning.find("MiB are available") != std::string::npos) step.warnings.push_back(warning);
  return step;
}

std::string begun_with(std::int64_t micro_batch) {
  return concat("to ", micro_batch, micro_batch == 1 ? " example" : " examples",
                " from step 0 on, as the local batch would not fit into memory");
}

/// The least memory with which a step has a micro-batch is linear in its size.
TEST(TrainerMemory, TakesTheLargestMicroBatchThatFits) {
  const auto ranks = make_mpi_communicator();
  constexpr std::int64_t share = 8, halved = share / 2, quartered = share / 4;
  const auto least_with = [&](std::int64_t micro_batch) {
    std::int64_t below = 1, enough = std::int64_t{1} << 24;
    while (enough - below > 64) {
      const std::int64_t middle = (below + enough) / 2;
      const std::string text = fitted(*ranks, middle).halved;
      (text.empty() || std::stoll(text.substr(3)) >= micro_batch ? enough : below) = middle;
    }
    return static_cast<double>(enough);
  };
  EXPECT_EQ(fitted(*ranks, std::int64_t{1} << 40).halved, "");
  EXPECT_EQ(fitted(*ranks, 0).halved, "") << "memory that is not known";
  const double whole = least_with(share), half = least_with(halved), quarter = least_with(quartered);
  // Halves have a forward without activations besides, and so a larger share each.
  const double of_example = (half - quarter) / static_cast<double>(halved - quartered);
  EXPECT_GT(whole - half, 0.4 * of_example * static_cast<double>(halved));
  EXPECT_LT(whole - half, of_example * static_cast<double>(halved));
  EXPECT_EQ(fitted(*ranks, static_cast<std::int64_t>(half) + 500).halved, begun_with(halved));
  EXPECT_EQ(fitted(*ranks, static_cast<std::int64_t>(whole) + 500).halved, "");
  // Besides the examples of each rank there are gradients and moments, and a tenth stays free.
  EXPECT_GT(0.9 * (half - of_example * static_cast<double>(halved)) / ranks->size(), 3 * elements * 4);
  const FittedStep none = fitted(*ranks, 1000);
  EXPECT_EQ(none.halved, begun_with(1));
  ASSERT_EQ(none.warnings.size(), 1U);
  EXPECT_NE(none.warnings.front().find("even single examples or shards do not fit"), std::string::npos);
  // One that the trial names is kept.
  const FittedStep named = fitted(*ranks, static_cast<std::int64_t>(quarter) + 500, halved);
  EXPECT_EQ(named.halved, "");
  ASSERT_EQ(named.warnings.size(), 1U);
  EXPECT_NE(named.warnings.front().find(concat("training.micro_batch: ", quartered, " fits")), std::string::npos)
      << named.warnings.front();
  EXPECT_TRUE(fitted(*ranks, static_cast<std::int64_t>(half) + 500, halved).warnings.empty());
}

/// A shard is in memory as a whole.
TEST(TrainerMemory, CountsWholeShards) {
  const auto ranks = make_mpi_communicator();
  const std::int64_t shards = 2 * ranks->size();
  EXPECT_EQ(fitted(*ranks, 1000, 0, shards).warnings.size(), 1U);
  EXPECT_EQ(fitted(*ranks, 1000, 0, shards).halved, begun_with(1));
  EXPECT_EQ(fitted(*ranks, std::int64_t{1} << 40, 0, shards).halved, "");
}

TEST(TrainerMemory, IsRefusedByWhatSaysSo) {
  EXPECT_TRUE(ops::is_memory_refused(std::bad_alloc()));
  EXPECT_TRUE(ops::is_memory_refused(std::runtime_error("DefaultCPUAllocator: can't allocate memory: you tried ...")));
  EXPECT_TRUE(ops::is_memory_refused(std::runtime_error("CUDA: start of the kernel f: out of memory")));
  EXPECT_TRUE(ops::is_memory_refused(
      SystemError("NCCL failed on rank 1: unhandled cuda error (Cuda failure 2 'out of memory')")));
  EXPECT_FALSE(ops::is_memory_refused(SystemError("a device is gone")));
}

}  // namespace
}  // namespace gausscse
