#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "dist/communicator.hpp"
#include "model/encoder/parameter_store.hpp"
#include "model/objective/objective.hpp"

namespace gausscse {

/// How loss and gradients of a step are added up over the pieces that a rank computes one after another, and over
/// ranks.
class GradientReduction {
 public:
  virtual ~GradientReduction() = default;

  /// The pieces of this rank's triples, rows of the global batch, that are embedded at a time.
  virtual const std::vector<AnchorRange>& pieces() const = 0;
  /// Number of parts that the loss is told in.
  virtual std::size_t loss_parts() const = 0;
  /// Evaluates this rank's anchors. `embeddings` [roles, batch, width] are those of all ranks; `own_gradient` [roles,
  /// own, width] becomes the gradient, of the loss of all ranks, by the rank's own rows. The rank's contributions are
  /// put into `losses`, one value a part, 0 for the parts of other ranks.
  virtual void evaluate(const Objective& objective, const at::Tensor& embeddings, at::Tensor& own_gradient,
                        double* losses) = 0;
  /// Before the backward of the first piece.
  virtual void begin_backward(ParameterStore& parameters) = 0;
  /// After the backward of each piece.
  virtual void end_piece(ParameterStore& parameters) = 0;
  /// The parameters' gradients become those of the global batch, on all ranks.
  virtual void end_backward(ParameterStore& parameters) = 0;
};

/// Adds in the order that is fastest: sums differ by rounding between numbers of ranks and micro-batches. `shares[r]`
/// triples belong to rank r; `micro_batch` triples make a piece, 0: all.
std::unique_ptr<GradientReduction> make_fast_reduction(Communicator& communicator,
                                                       const std::vector<std::int64_t>& shares,
                                                       std::int64_t micro_batch);

/// Cuts the batch into `shards` virtual shards, computes each by itself, and adds them in a tree that is the same for
/// any number of ranks. The shares must be those of `shares_of_shards`.
std::unique_ptr<GradientReduction> make_rank_invariant_reduction(Communicator& communicator,
                                                                 const std::vector<std::int64_t>& shares,
                                                                 std::int64_t shards);

/// Triples of each rank where whole virtual shards of a batch are dealt out.
std::vector<std::int64_t> shares_of_shards(std::int64_t batch, std::int64_t shards, std::int64_t ranks);

}  // namespace gausscse
