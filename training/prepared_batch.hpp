#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "model/encoder/packed_batch.hpp"
#include "model/objective/objective.hpp"
#include "model/sentence_encoder.hpp"
#include "training/gradient_reduction.hpp"

namespace gausscse {

/// Some examples. Their sentences stand role by role: all premises, all entailments (in labelled pairs: hypotheses)
/// and, where the objective has three roles, all contradictions.
struct Examples {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> offsets;     ///< roles * examples + 1
  std::vector<std::int64_t> labels = {};  ///< labels of the examples, where the objective needs labels
  std::vector<std::int64_t> groups = {};  ///< likewise, see ExampleLabels
  /// For each role, the tokens of the longest sentence in the global batch, where pooling divides by that (see
  /// PoolingDivisor); empty: each sentence's own.
  std::vector<std::int64_t> longest = {};
};

/// The examples [begin, end) of the global batch, in the roles of the objective.
using ExampleReader = std::function<Examples(std::int64_t begin, std::int64_t end)>;

/// The part of a step's batch that this rank embeds, read and packed: all that a step needs of the corpus.
struct PreparedBatch {
  /// Sentences of one micro-batch, with what a backward needs and on their way to the encoder's device, and for each of
  /// them, if pooling divides by that, the longest of its role.
  struct Packed {
    PackedBatch batch;
    at::Tensor longest;  ///< see PoolingActivations
  };

  std::int64_t step = 0;             ///< step of the training
  std::vector<std::int64_t> shares;  ///< examples of each rank
  std::vector<Piece> pieces;         ///< this rank's
  std::vector<Packed> packed;        ///< for each micro-batch; nothing where it has no examples
  at::Tensor integers;               ///< int64 [own, 2], label and group of this rank's, if the objective needs labels

  /// Returns the number of examples of the global batch.
  std::int64_t examples() const;
  /// Returns the memory that this holds on the encoder's device; 0 where that is the CPU.
  std::int64_t bytes_on_device() const;
};

/// Reads and packs the pieces of `batch`, whose `step`, `shares` and `pieces` are given. May be called by any thread,
/// and starts none.
void pack_pieces(PreparedBatch& batch, const ExampleReader& read, const Objective& objective,
                 const SentenceEncoder& encoder);

}  // namespace gausscse
