#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "dist/communicator.hpp"
#include "dist/retry_scope.hpp"
#include "model/batch/parameter_store.hpp"
#include "model/objective/objective.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Examples that go through the encoder together: rows of the global batch, one after another, in one or more shards.
struct MicroBatch {
  std::vector<AnchorRange> shards;

  std::int64_t begin() const { return shards.front().begin; }
  std::int64_t end() const { return shards.back().end; }
  std::int64_t examples() const { return end() - begin(); }
};

/// Rows that this rank gives to the loss.
struct OwnRows {
  at::Tensor embeddings;       ///< [roles, own, width]
  ExampleLabels labels = {};   ///< labels of the whole batch
  at::Tensor parameters = {};  ///< the objective's
  StepOfTraining step = {};
};

/// Rule by which loss and gradients of a step are added up over the micro-batches that a rank computes one after
/// another, and over ranks. One object serves all steps of a training. The calls of a step, on all ranks:
///
///     const std::vector<Piece> pieces = reduction.pieces(shares, micro_batch);
///     at::Tensor gradient = reduction.evaluate(objective, own, shares, pieces, losses, parts);  // collectives
///     reduction.begin_backward(encoder);             // once more where memory is refused and can_begin_again()
///     for (const Piece& piece : pieces) {
///       reduction.begin_micro_batch(encoder, piece);
///       encoder.backward(activations, of_micro_batch, on_final);  // of the last piece, on_final calls
///       gradients_are_ready reduction.end_micro_batch(piece);
///     }
///     reduction.end_backward(encoder.parameters());  // collectives that are left
class GradientReduction {
 public:
  virtual ~GradientReduction() = default;

  /// Returns the micro-batches of this rank's examples, of at most `micro_batch` (0: all) each; some may have none.
  /// `shares[r]` examples belong to rank r.
  virtual std::vector<MicroBatch> micro_batches(const std::vector<std::int64_t>& shares,
                                                std::int64_t micro_batch) const = 0;
  /// Returns the number of parts of the loss.
  virtual std::size_t loss_parts() const = 0;
  /// Evaluates this rank's anchors against the rows of all ranks; returns the gradient [roles, own, width], of the loss
  /// of all ranks, by the rank's own rows. `shares[r]` examples belong to rank r. The gradient by the objective's
  /// parameters is kept for the backward. The rank's contributions are put into `losses`, float64 [parts] on the device
  /// of the rows; the parts of other ranks stay as they are. All that needs memory is called by `parts`.
  virtual at::Tensor evaluate(const Objective& objective, const OwnRows& own, const std::vector<std::int64_t>& shares,
                              const std::vector<MicroBatch>& micro_batches, at::Tensor losses, RetryScope& parts) = 0;
  /// Prepares for the backward, before that of the first micro-batch, and takes the memory of its collectives. The sums
  /// of an earlier one that was not ended are forgotten. This or `begin_micro_batch` clears the encoder's gradients and
  /// adds those by the objective's parameters, the last of its parameters.
  virtual void begin_backward(SentenceEncoder& encoder) = 0;
  /// Returns whether a backward may begin again: no other rank has a part of its sums.
  virtual bool can_begin_again() const { return true; }
  /// Prepares for the backward of a micro-batch, and finishes it.
  virtual void begin_micro_batch(SentenceEncoder& encoder, const MicroBatch& micro_batch) = 0;
  virtual void end_micro_batch(const MicroBatch& micro_batch) = 0;
  /// Takes note, in the backward of the last micro-batch, that nothing will be added to the gradients of `parameters`
  /// from element `first` on.
  virtual void gradients_are_ready(ParameterStore& /*parameters*/, std::int64_t /*first*/) {}
  /// Makes the parameters' gradients those of the global batch, on all ranks.
  virtual void end_backward(ParameterStore& parameters) = 0;

  /// Returns the bytes held besides `own`, of candidates and of the gradient by them; where `evaluate` threw, the bytes
  /// that it held then.
  virtual std::int64_t bytes_of_candidates() const = 0;
  /// Returns the bytes of sums that `parameters` do not have as their gradients.
  virtual std::int64_t bytes_of_sums(const ParameterStore& /*parameters*/) const { return 0; }
};

/// Returns the part of the flat `all` that belongs to the objective's parameters, as many as `of_objective` has
/// elements.
inline at::Tensor last_elements(const at::Tensor& all, const at::Tensor& of_objective) {
  return all.narrow(0, all.numel() - of_objective.numel(), of_objective.numel());
}

/// Way in which candidates come to the ranks.
enum class CandidateExchange {
  gather,  ///< all at once: one collective each way, memory grows with the global batch
  ring     ///< one rank's after another's (RowRing): memory grows with the largest share
};

/// Elements of a GradientBuckets bucket: 25 MB of float32, in which a link between GPUs is as fast as it gets.
inline constexpr std::int64_t usual_bucket = std::int64_t{25} << 18;

/// Adds in the order that is fastest: sums differ by rounding between numbers of ranks, micro-batches and exchanges.
/// Gradients of parameters are summed in buckets of `bucket` elements.
std::unique_ptr<GradientReduction> make_fast_reduction(Communicator& communicator, CandidateExchange exchange,
                                                       std::int64_t bucket);

/// Adds in an order that is the same for any number of ranks: the batch is cut into virtual shards, the leaves of a
/// tree of sums. Pieces are nodes of it, of at most `micro_batch` examples or one shard.
std::unique_ptr<GradientReduction> make_rank_invariant_reduction(Communicator& communicator,
                                                                 std::int64_t virtual_shards);

/// Examples of each rank when a batch is cut into `shards` even parts and these are dealt out in rank order.
std::vector<std::int64_t> shares_of_shards(std::int64_t batch, std::int64_t shards, std::int64_t ranks);

}  // namespace gausscse
