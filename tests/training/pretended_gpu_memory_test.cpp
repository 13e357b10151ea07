#include <c10/util/Exception.h>

#include <cstdio>
#include <exception>

#include "dist/communicator.hpp"
#include "results/result_file.hpp"
#include "tests/support/cublaslt_on_cpu/cublaslt_on_cpu.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/memory_refused.hpp"
#include "training/prepared_batch.hpp"
#include "training/train_trial.hpp"

namespace gausscse {
namespace {

/// Trains on a GPU with so much memory (0: enough); exceptions go through.
TinyRun train_in(std::size_t bytes, const TinyTraining& training, Trial trial) {
  pretended_gpu::limit_memory(bytes);
  trial.output = training.folder / concat("limit ", bytes);
  TrainOptions options;
  options.device = at::Device(at::kCUDA, 0);
  options.overwrite = true;
  TinyRun run;
  NoRequests requests;
  run.result = train_trial(trial, options, *make_self_communicator(), run.told, requests);
  run.model = trial.output / "model";
  return run;
}

std::int64_t bytes_of(const MemoryRefused& refused, const std::string& what) {
  std::int64_t bytes = 0;
  for (const MemoryPart& part : refused.parts) bytes += part.what == what ? part.bytes : 0;
  return bytes;
}

/// A token has: its id, position and sample in 4 bytes each, its place among those of its word and of its position
/// in 8. A sentence has: its beginning, in 4 and 8 bytes, and its sample in 4. Each word and position that occurs, and
/// one more of each kind have: two numbers of 8. The batch, of 30 examples and 90 sentences, is there as it was
/// prepared, and in micro-batches of one example, as it was cut before memory was refused for good.
void expect_token_ids(const MemoryRefused& refused, std::int64_t& sentences) {
  std::int64_t tokens = 0;
  for (const MemoryPart& part : refused.parts) {
    if (!part.growing) continue;
    ASSERT_EQ(std::sscanf(part.what.c_str(), "activations of %ld sentences (%ld tokens)", &sentences, &tokens), 2);
  }
  // Embeddings have their place before the first sentence is embedded.
  if (sentences == 0) return;
  constexpr std::int64_t most_words = 60, most_tokens = 32, tensors = 12, alignment = 16;
  const std::int64_t found = bytes_of(refused, "token ids of this step");
  EXPECT_GE(found, 2 * (28 * 90 + 16 * 90)) << "a sentence has a token or more";
  EXPECT_GT(tokens, 0);
  EXPECT_LE(found,
            2 * (28 * 90 * most_tokens + 16 * 90) + 31 * (16 * (most_words + most_tokens) + tensors * alignment));
}

/// At each place where a step meets the end of the GPU's memory, the parts that are reported hold as much as the
/// tensors there, but for small ones.
TEST(PretendedGpuMemory, IsTheSumOfItsPartsWhereItIsRefused) {
  const TinyTraining training;
  const std::string dev = nli_line("entailment", "w1 w2 w3", "w2 w3") + nli_line("neutral", "w1 w2 w3", "w4 w5 w6 w7");
  const Trial trial = training.trial({"tasks.dev.files=" + training.write("dev.jsonl", dev).string(),
                                      "training.batch_size=30", "training.max_steps=2", "training.dropout=0",
                                      "training.max_tokens=32", "training.checkpoint_minutes=0",
                                      "tasks.dev.eval_every=1", "select.task=\"\"", "select.figure=\"\""});
  // Kernels of CPUs stand in place of a GPU's and take no scratch memory. Matmuls take it.
  cublaslt_on_cpu::behaviour().workspace = 100 << 10;
  std::set<std::string> growing;
  std::int64_t sentences = 0, most_of_next_step = 0, of_tasks = 0;
  bool trained = false;
  TinyRun run;
  for (std::size_t limit = 400 << 10; !trained; limit += limit / 6) {
    SCOPED_TRACE(limit);
    try {
      run = train_in(limit, training, trial);
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
      // The next batch may have come after the refusal.
      const std::int64_t of_next_step = bytes_of(refused, "token ids of the next step");
      EXPECT_LE(told - of_next_step, held);
      most_of_next_step = std::max(most_of_next_step, of_next_step);
      of_tasks = std::max(of_tasks, bytes_of(refused, "token ids of tasks"));
      // Tasks, which are measured between steps, have memory of their own.
      if (part_to_grow.empty()) continue;
      growing.insert(part_to_grow);
      EXPECT_GE(told, held * 9 / 10) << part_to_grow;
      if (part_to_grow == "activations") expect_token_ids(refused, sentences);
    }
  }
  pretended_gpu::limit_memory(0);
  EXPECT_TRUE(growing.contains("activations"));
  // The first limit under which all goes well leaves no room for the whole batch.
  const TinyRun whole = train_in(0, training, trial);
  ASSERT_EQ(run.result.training.loss.size(), 2u);
  for (std::size_t step = 0; step < 2; ++step)
    EXPECT_NEAR(run.result.training.loss[step], whole.result.training.loss[step], 1e-5);
  EXPECT_EQ(whole.result.halved_micro_batch, "");
  // The result has the memory, too, of this run or an earlier one of this process.
  const auto held = static_cast<std::int64_t>(pretended_gpu::bytes_held_at_refusal());
  const Provenance read = read_result(whole.model.parent_path() / "result.h5").provenance;
  EXPECT_GT(read.gpu_memory_taken, held);
  EXPECT_GT(read.gpu_memory, read.gpu_memory_taken);
  const std::string& halved = run.result.halved_micro_batch;
  EXPECT_NE(halved.find(" from step 0 on, as memory was refused"), std::string::npos) << halved;
  EXPECT_TOLD(run.told.warnings, "a rank's micro-batch is halved " + halved);
  EXPECT_EQ(read_result(run.model.parent_path() / "result.h5").halved_micro_batch, halved);
  EXPECT_EQ(sentences, 3) << "those of one example";
  EXPECT_GT(most_of_next_step, 28 * 90) << "each of its sentences has a token or more";
  cublaslt_on_cpu::behaviour() = {};
  // Seven tensors of the first measurement, in parts of 16 bytes: three of 15 tokens and four of three sentences.
  EXPECT_EQ(of_tasks, 3 * 64 + 3 * 16 + 32);
}

/// A request for memory is refused anywhere in a training and its evaluations: it goes on, or, at its start and where
/// the embeddings of an evaluation are, ends.
TEST(PretendedGpuMemory, MayBeRefusedAnywhereInATraining) {
  const TinyTraining training;
  const Trial trial = training.trial({"training.batch_size=8", "training.max_steps=3", "training.dropout=0",
                                      "training.checkpoint_minutes=0", "tasks.dev.eval_every=2"});
  const TinyRun whole = train_in(0, training, trial);
  int ended = 0, went_on = 0, halved = 0;
  // Places between other requests: each run takes a while.
  for (std::int64_t request = 1;; request += 7) {
    SCOPED_TRACE(request);
    pretended_gpu::refuse_request(request);
    TinyRun run;
    try {
      run = train_in(0, training, trial);
      ++went_on;
    } catch (const MemoryRefused& refused) {
      ++ended;
      for (const MemoryPart& part : refused.parts) EXPECT_FALSE(part.growing) << part.what << ": no step ends it";
    } catch (const c10::OutOfMemoryError&) {
      ++ended;  // before the first step
    }
    const bool was_refused = pretended_gpu::requests() >= request;
    pretended_gpu::refuse_request(0);
    if (!was_refused) break;
    if (run.result.states.empty()) continue;
    halved += run.result.halved_micro_batch.empty() ? 0 : 1;
    ASSERT_EQ(run.result.training.loss.size(), 3u);
    for (std::size_t step = 0; step < 3; ++step)
      EXPECT_NEAR(run.result.training.loss[step], whole.result.training.loss[step], 1e-5);
    EXPECT_EQ(run.result.states.size(), whole.result.states.size());
  }
  EXPECT_GT(halved, 10);
  EXPECT_GT(went_on, halved) << "evaluations halve no micro-batch";
  EXPECT_LT(ended, went_on / 2);
}

TEST(PretendedGpuMemory, IsHeldByTheNextBatch) {
  const std::vector<std::uint32_t> ids{7, 3, 7, 9, 3, 7}, offsets{0, 2, 6};
  const at::Device gpu(at::kCUDA, 0);
  BatchPrefetch prefetch(
      [&](std::int64_t step) {
        PreparedBatch batch;
        for (std::int64_t micro_batch = 0; micro_batch <= step; ++micro_batch)
          batch.packed.push_back({pack_sentences(ids, offsets, {}, 1).prepared_for(gpu, /*with_backward=*/false), {}});
        return batch;
      },
      3);
  // Seven tensors, of 24, 24, 24, 12, 8, 16 and 8 bytes.
  constexpr std::int64_t of_micro_batch = 3 * 32 + 4 * 16;
  EXPECT_EQ(prefetch.bytes_on_device(), 0);
  for (std::int64_t step = 0; step < 2; ++step) {
    EXPECT_EQ(prefetch.take(step).bytes_on_device(), (step + 1) * of_micro_batch);
    EXPECT_EQ(prefetch.bytes_on_device(), (step + 2) * of_micro_batch);
  }
  prefetch.take(2);
  EXPECT_EQ(prefetch.bytes_on_device(), 0);
}

}  // namespace
}  // namespace gausscse
