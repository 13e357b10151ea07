#include <ATen/ops/empty.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <exception>
#include <set>
#include <string>

#include "base/error.hpp"
#include "dist/communicator.hpp"
#include "experiments/training/memory_refused.hpp"
#include "experiments/training/train_trial.hpp"
#include "model/ops/device_kernels.hpp"
#include "tests/experiments/training/tiny_training.hpp"
#include "tests/support/pretended_gpu/memory.hpp"

namespace gausscse {
namespace {

using testing_support::TinyTraining;

/// Trains on a GPU with so much memory; what is thrown goes through.
void train_in(std::size_t bytes, const TinyTraining& training, Trial trial) {
  pretended_gpu::limit_memory(bytes);
  trial.output = training.folder / concat("limit ", bytes);
  TrainOptions options;
  options.device = at::Device(at::kCUDA, 0);
  testing_support::RecordingObserver observer;
  testing_support::NoRequests requests;
  train_trial(trial, options, *make_self_communicator(), observer, requests);
}

/// Wherever a step meets the end of the GPU's memory, the parts that are told hold what tensors do there, but for small
/// ones.
TEST(PretendedGpuMemory, IsTheSumOfItsPartsWhereItIsRefused) {
  const TinyTraining training;
  const Trial trial = training.trial({"training.batch_size=30", "training.max_steps=2", "training.dropout=0",
                                      "training.max_tokens=32", "training.checkpoint_minutes=0",
                                      "tasks.dev.eval_every=0", "select.task=\"\"", "select.figure=\"\""});
  // As much as kernels of a GPU, in whose place those of CPUs stand here, may have taken before.
  ops::context_of(at::empty({1}, at::TensorOptions(at::Device(at::kCUDA, 0)))).scratch->get(100 << 10);
  std::set<std::string> growing;
  bool trained = false;
  for (std::size_t limit = 400 << 10; !trained; limit += limit / 6) {
    SCOPED_TRACE(limit);
    try {
      train_in(limit, training, trial);
      trained = true;
    } catch (const MemoryRefused& refused) {
      std::int64_t told = 0;
      std::string part_to_grow;
      for (const MemoryPart& part : refused.parts) {
        told += part.bytes;
        if (part.growing) part_to_grow = part.what.substr(0, part.what.find(' '));
      }
      EXPECT_THROW(std::rethrow_if_nested(refused), c10::OutOfMemoryError);
      const auto held = static_cast<std::int64_t>(pretended_gpu::bytes_held_at_refusal());
      EXPECT_LE(told, held);
      // Tasks, which are measured between steps, have memory of their own.
      if (part_to_grow.empty()) continue;
      growing.insert(part_to_grow);
      EXPECT_GE(told, held * 9 / 10) << part_to_grow;
    }
  }
  pretended_gpu::limit_memory(0);
  EXPECT_TRUE(growing.contains("activations"));
}

}  // namespace
}  // namespace gausscse
