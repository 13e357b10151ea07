#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <future>
#include <vector>

#include "data/corpus/text_numbers.hpp"
#include "data/corpus/token_store.hpp"
#include "model/batch/packed_batch.hpp"
#include "model/choices.hpp"
#include "model/objective/objective.hpp"
#include "model/sentence_encoder.hpp"
#include "training/gradient_reduction.hpp"

namespace gausscse {

/// Texts of the global batch, where the objective leaves candidates out by them; otherwise undefined.
struct BatchTexts {
  at::Tensor texts, entailed;  ///< see ExampleLabels
  std::int64_t left_out = 0;   ///< number of pairs that the objective leaves out
};

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
  BatchTexts texts = {};  ///< texts of the global batch, also where these are no examples
};

/// The examples [begin, end) of the global batch, in the roles of the objective.
using ExampleReader = std::function<Examples(std::int64_t begin, std::int64_t end)>;

/// The part of a step's batch that this rank embeds, read and packed: all that a step needs of the corpus.
struct PreparedBatch {
  /// Sentences of one micro-batch, with the groups for a backward and on their way to the encoder's device. If pooling
  /// divides by that, each has the longest length of its role.
  struct Packed {
    PackedBatch batch;
    at::Tensor longest;  ///< see PoolingActivations
  };

  std::int64_t step = 0;             ///< step of the training
  std::vector<std::int64_t> shares;  ///< examples of each rank
  ExampleReader read;
  std::int64_t micro_batch = 0;           ///< most examples of a piece, but for whole shards; 0: all
  std::vector<MicroBatch> micro_batches;  ///< this rank's
  std::vector<Packed> packed;             ///< for each micro-batch; nothing where it has no examples
  at::Tensor labels_and_groups;  ///< int64 [own, 2], label and group of this rank's, if the objective needs labels
  BatchTexts texts = {};

  /// Returns the number of examples of the global batch.
  std::int64_t examples() const;
  /// Returns the memory that this holds on the encoder's device; 0 where that is the CPU.
  std::int64_t bytes_on_device() const;
};

/// Reads and packs the pieces of `batch`, whose members up to `pieces` are given. May be called by any thread, and
/// starts none.
void pack_micro_batches(PreparedBatch& batch, const Objective& objective, const SentenceEncoder& encoder);

/// Reads the examples of a batch, whose numbers in `store` are `batch`, for `objective`. With the divisor `longest` it
/// reports the longest sentence of each role in the whole batch, which every rank knows by the plan. So it does the
/// batch's texts, by their `numbers`, which are null where the objective leaves nothing out. `store` and `objective`
/// must outlive it.
ExampleReader batch_reader(const TokenStore& store, std::vector<std::uint32_t> batch, const Objective& objective,
                           PoolingDivisor divisor, const TextNumbers* numbers = nullptr);

/// Prepares the batch of the next step on its own thread while this one is computed.
class BatchPrefetch {
 public:
  /// Begins with the first batch. `prepare` gives the batch of a step; it is called by one thread at a time. Steps end
  /// before `end`.
  BatchPrefetch(std::function<PreparedBatch(std::int64_t step)> prepare, std::int64_t end);

  /// Returns the batch of `step`. From here on that of the step behind it is prepared, if there is one. Throws the
  /// error of its preparation.
  PreparedBatch take(std::int64_t step);

  /// Returns PreparedBatch::bytes_on_device of the batch of the next step, whose preparation is waited for; 0 where
  /// there is none, or it failed.
  std::int64_t bytes_on_device() const;

 private:
  std::function<PreparedBatch(std::int64_t step)> prepare_;
  std::int64_t end_;
  std::int64_t next_step_ = -1;
  std::int64_t bytes_on_device_ = 0;  ///< set by the thread that prepares
  std::future<PreparedBatch> next_;   ///< waited for where it goes
};

}  // namespace gausscse
