#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/ops/device_memory.hpp"
#include "tests/training/refusing_objective.hpp"
#include "tests/training/scripted_task.hpp"
#include "tests/training/triples_training.hpp"

namespace gausscse {
namespace {

using testing_support::RefusingObjective;

/// Elements of the parameters of `small_settings` with a Gaussian head: three tables, two layers, two linear maps.
constexpr std::int64_t h = 24, wide = 40;
constexpr std::int64_t elements =
    (300 + 70 + 2) * h + 2 * h + 2 * (4 * (h * h + h) + 2 * (h * wide) + wide + h + 4 * h) + 2 * (h * h + h);

/// Trains on all ranks, with a checkpoint after each step and the best state kept from the first measurement on, until
/// memory is refused to the step behind `steps`; what is thrown goes through.
void train(Communicator& communicator, int steps) {
  SentenceEncoder encoder(testing_support::encoder_of_bytes());
  TaskList tasks;
  tasks.push_back({.task = std::make_unique<testing_support::ScriptedTask>("dev", std::vector<double>{0.5}),
                   .eval_every = 100,
                   .development = true});
  const RefusingObjective objective(testing_support::RefusedIn::evaluate, steps);
  testing_support::RecordingObserver observer;
  Trial::Training training = testing_support::six_steps();
  training.checkpoint_every = 1;
  RunResult result;
  testing_support::train_on_triples(encoder, objective, tasks, communicator, observer,
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

TEST(TrainerMemory, IsRefusedByWhatSaysSo) {
  EXPECT_TRUE(ops::is_memory_refused(std::bad_alloc()));
  EXPECT_TRUE(ops::is_memory_refused(std::runtime_error("DefaultCPUAllocator: can't allocate memory: you tried ...")));
  EXPECT_FALSE(ops::is_memory_refused(SystemError("a device is gone")));
}

}  // namespace
}  // namespace gausscse
