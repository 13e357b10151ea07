#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>

#include "base/error.hpp"
#include "model/device/device_kernels.hpp"
#include "model/device/device_memory.hpp"
#include "training/step_pass.hpp"
#include "training/training_step.hpp"

namespace gausscse {

namespace {

/// Returns whether a smaller micro-batch would leave less in memory: a piece has one example at least, or one of the
/// `shards`.
bool can_shrink(const std::vector<MicroBatch>& micro_batches, bool shards, bool all_in_memory) {
  if (all_in_memory && micro_batches.size() > 1) return true;
  return std::any_of(micro_batches.begin(), micro_batches.end(), [&](const MicroBatch& micro_batch) {
    return shards ? micro_batch.shards.size() > 1 : micro_batch.examples() > 1;
  });
}

}  // namespace

std::vector<MemoryPart> TrainingStep::memory() const {
  std::int64_t activations = encoder_.bytes_of_scratch();
  for (const SentenceActivations& micro_batch : activations_) activations += micro_batch.bytes();
  const bool shards = settings_.virtual_shards > 0;
  const char* of_micro_batches =
      shards ? "cut batches into more virtual shards (training.virtual_shards)" : "lower training.max_tokens";
  const bool can_travel = !shards && settings_.exchange == CandidateExchange::gather && communicator_.size() > 1;
  return {{.what = concat("activations of ", held_.sentences, " sentences (", held_.tokens, " tokens)"),
           .bytes = activations,
           .growing = held_.growing == Growing::activations,
           .advice = held_.micro_batches_can_shrink ? embed_fewer_at_a_time : of_micro_batches},
          {.what = "candidates with their gradient",
           .bytes = held_.bytes_of_embeddings + reduction_->bytes_of_candidates(),
           .growing = held_.growing == Growing::candidates,
           .advice = can_travel ? "let candidates travel around the ring of ranks (training.exchange: ring)"
                                : "lower training.batch_size"},
          {.what = "sums of gradients over virtual shards", .bytes = reduction_->bytes_of_sums(encoder_.parameters())},
          {.what = "scratch of kernels",
           .bytes = static_cast<std::int64_t>(ops::context_of(encoder_.parameters().values()).scratch->bytes())},
          {.what = "token ids of this step", .bytes = held_.bytes_of_batch}};
}

std::int64_t TrainingStep::bytes_with(std::int64_t examples, const StepMemory& memory,
                                      const std::vector<std::int64_t>& shares) const {
  const std::int64_t share = shares[static_cast<std::size_t>(communicator_.rank())];
  std::int64_t largest = 0;
  for (const MicroBatch& micro_batch : reduction_->micro_batches(shares, examples))
    largest = std::max(largest, micro_batch.examples());
  // Activations of all micro-batches are kept if the whole share may be in memory.
  const bool keeps_all = examples >= share;
  return memory.other_bytes + memory.activations_of_example * (keeps_all ? share : largest) +
         (memory.scratch_of_example + (keeps_all ? 0 : memory.forward_of_example)) * largest;
}

std::optional<StepMemory> TrainingStep::predict_memory(const PreparedBatch& batch) {
  constexpr std::int64_t examples_of_sample = 4;
  const std::int64_t share = batch.shares[static_cast<std::size_t>(communicator_.rank())];
  if (encoder_.settings().vectors || !encoder_.options().device().is_cpu() || share == 0) return std::nullopt;
  const at::AutoDispatchBelowADInplaceOrView no_autograd;
  ParameterStore& parameters = encoder_.parameters();
  const bool had_gradients = parameters.bytes() > static_cast<std::int64_t>(parameters.values().nbytes());
  StepMemory memory;
  try {
    const std::int64_t first = batch.micro_batches.front().begin();
    PreparedBatch sample{.step = batch.step,
                         .shares = batch.shares,
                         .read = batch.read,
                         .micro_batches = {{{{first, first + std::min(share, examples_of_sample)}}}},
                         .packed = {},
                         .labels_and_groups = {}};
    pack_micro_batches(sample, objective_, encoder_);
    const PreparedBatch::Packed& packed = sample.packed.front();
    const DropoutStep dropout = DropoutStep::of(settings_.seed, static_cast<std::uint64_t>(batch.step));
    SentenceActivations kept;
    const at::Tensor rows =
        encoder_.forward(packed.batch, settings_.dropout ? &dropout : nullptr, &kept, packed.longest);
    encoder_.clear_gradients();
    encoder_.backward(kept, at::zeros_like(rows));
    std::int64_t tokens = 0;
    for (const PreparedBatch::Packed& micro_batch : batch.packed)
      if (micro_batch.batch.ids.defined()) tokens += micro_batch.batch.tokens();
    const double of_sample =
        static_cast<double>(tokens) / static_cast<double>(share) / static_cast<double>(packed.batch.tokens());
    const auto of_example = [&](std::int64_t bytes) {
      return static_cast<std::int64_t>(static_cast<double>(bytes) * of_sample);
    };
    memory.activations_of_example = of_example(kept.bytes());
    const std::int64_t scratch = encoder_.bytes_of_scratch();
    memory.scratch_of_example = of_example(scratch);
    encoder_.forward(packed.batch, nullptr, nullptr, packed.longest);
    memory.forward_of_example = of_example(encoder_.bytes_of_scratch() - scratch);
    const auto bytes_of_row = static_cast<std::int64_t>(rows.nbytes()) / rows.size(0) * objective_.roles();
    const std::int64_t candidates = settings_.exchange == CandidateExchange::ring && settings_.virtual_shards == 0
                                        ? 2 * *std::max_element(batch.shares.begin(), batch.shares.end())
                                        : batch.examples();
    memory.other_bytes = bytes_of_row * (share + 2 * candidates);
  } catch (const std::exception& error) {
    if (!ops::is_memory_refused(error)) throw;
    memory = {};
  }
  if (!had_gradients) parameters.gradients() = at::Tensor();
  release_activations();
  return memory.activations_of_example > 0 ? std::optional(memory) : std::nullopt;
}

StepPass::StepPass(TrainingStep& of, const PreparedBatch& prepared, TrainingRequests* asked_for)
    : step(of),
      batch(prepared),
      requests(asked_for),
      share(batch.shares[static_cast<std::size_t>(step.communicator_.rank())]),
      first(batch.micro_batches.empty() ? 0 : batch.micro_batches.front().begin()),
      dropout(DropoutStep::of(step.settings_.seed, static_cast<std::uint64_t>(batch.step))),
      held_batch(step.held_.bytes_of_batch, batch.bytes_on_device()),
      held_embeddings(step.held_.bytes_of_embeddings, std::int64_t{0}) {
  take_micro_batches(&prepared);
}

void StepPass::retryable(const std::function<void()>& part) {
  while (true) {
    try {
      if (current->micro_batch != step.micro_batch_) take_micro_batch();
      part();
      return;
    } catch (const std::exception& error) {
      step.halve_micro_batch(*this, error);
    }
  }
}

void StepPass::irreversible(const std::function<void()>& part) {
  if (must_repeat) return;
  try {
    part();
  } catch (const std::exception& error) {
    step.halve_micro_batch(*this, error);
    must_repeat = true;
  }
}

void StepPass::take_micro_batches(const PreparedBatch* prepared) {
  current = prepared;
  keeps_activations =
      prepared->micro_batches.size() == 1 || prepared->micro_batch == 0 || prepared->micro_batch >= share;
  step.held_.micro_batches_can_shrink =
      can_shrink(prepared->micro_batches, step.settings_.virtual_shards > 0, keeps_activations);
  step.activations_.resize(keeps_activations ? std::max(prepared->micro_batches.size(), step.activations_.size()) : 1);
}

void StepPass::take_micro_batch() {
  smaller = step.packed(batch.step, batch.shares, batch.read, step.micro_batch_);
  step.held_.bytes_of_batch = batch.bytes_on_device() + smaller.bytes_on_device();
  take_micro_batches(&smaller);
}

void TrainingStep::halve_micro_batch(const StepPass& pass, const std::exception& refusal) {
  std::int64_t largest = 0;
  for (const MicroBatch& micro_batch : pass.current->micro_batches) largest = std::max(largest, micro_batch.examples());
  // Memory may have been refused to the token ids of smaller ones.
  if (micro_batch_ > 0) largest = std::min<std::int64_t>(largest, micro_batch_);
  const bool can_halve =
      largest > 1 && can_shrink(pass.current->micro_batches, settings_.virtual_shards > 0, pass.keeps_activations);
  if (!settings_.may_halve || !can_halve || !ops::is_memory_refused(refusal)) throw;
  micro_batch_ = halved_micro_batch_ = largest / 2;
  release_activations();
  ops::release_cached_memory(encoder_.settings().device);
}

void TrainingStep::release_activations() {
  activations_.clear();
  encoder_.release_scratch();
}

}  // namespace gausscse
