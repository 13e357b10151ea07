#include <algorithm>

#include "base/error.hpp"
#include "model/ops/device_kernels.hpp"
#include "model/ops/device_memory.hpp"
#include "training/step_pass.hpp"

namespace gausscse {

namespace {

/// Returns whether a smaller micro-batch would leave less in memory: a piece has one example at least, or one of the
/// `shards`.
bool can_shrink(const std::vector<Piece>& pieces, bool shards, bool all_in_memory) {
  if (all_in_memory && pieces.size() > 1) return true;
  return std::any_of(pieces.begin(), pieces.end(),
                     [&](const Piece& piece) { return shards ? piece.shards.size() > 1 : piece.examples() > 1; });
}

}  // namespace

std::vector<MemoryPart> TrainingStep::memory() const {
  std::int64_t activations = encoder_.bytes_of_scratch();
  for (const SentenceActivations& piece : activations_) activations += piece.bytes();
  const bool shards = settings_.virtual_shards > 0;
  const char* of_pieces =
      shards ? "cut batches into more virtual shards (training.virtual_shards)" : "lower training.max_tokens";
  const bool can_travel = !shards && settings_.exchange == CandidateExchange::gather && communicator_.size() > 1;
  return {{.what = concat("activations of ", held_.sentences, " sentences (", held_.tokens, " tokens)"),
           .bytes = activations,
           .growing = held_.growing == Growing::activations,
           .advice = held_.pieces_can_shrink ? embed_fewer_at_a_time : of_pieces},
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

void TrainingStep::Pass::repeat(const std::function<void()>& part) {
  while (true) {
    try {
      if (cut->micro_batch != step.micro_batch_) take_micro_batch();
      part();
      return;
    } catch (const std::exception& error) {
      step.halve_micro_batch(*this, error);
    }
  }
}

void TrainingStep::Pass::once(const std::function<void()>& part) {
  if (again) return;
  try {
    part();
  } catch (const std::exception& error) {
    step.halve_micro_batch(*this, error);
    again = true;
  }
}

void TrainingStep::Pass::take_pieces(const PreparedBatch* prepared) {
  cut = prepared;
  keeps_activations = prepared->pieces.size() == 1 || prepared->micro_batch == 0 || prepared->micro_batch >= share;
  step.held_.pieces_can_shrink = can_shrink(prepared->pieces, step.settings_.virtual_shards > 0, keeps_activations);
  step.activations_.resize(keeps_activations ? std::max(prepared->pieces.size(), step.activations_.size()) : 1);
}

void TrainingStep::Pass::take_micro_batch() {
  smaller = step.packed(batch.step, batch.shares, batch.read, step.micro_batch_);
  step.held_.bytes_of_batch = batch.bytes_on_device() + smaller.bytes_on_device();
  take_pieces(&smaller);
}

void TrainingStep::halve_micro_batch(const Pass& pass, const std::exception& refusal) {
  std::int64_t largest = 0;
  for (const Piece& piece : pass.cut->pieces) largest = std::max(largest, piece.examples());
  // Memory may have been refused to the token ids of smaller ones.
  if (micro_batch_ > 0) largest = std::min<std::int64_t>(largest, micro_batch_);
  const bool can_halve =
      largest > 1 && can_shrink(pass.cut->pieces, settings_.virtual_shards > 0, pass.keeps_activations);
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
