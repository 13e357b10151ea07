#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dist/communicator.hpp"
#include "model/objective/objective.hpp"
#include "model/sentence_encoder.hpp"
#include "training/gradient_reduction.hpp"
#include "training/memory_refused.hpp"
#include "training/prepared_batch.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

struct RankLoss;
struct StepPass;

struct TrainingStepSettings {
  std::uint64_t seed = 0;
  bool dropout = true;
  /// Examples a rank has in memory at once; 0: its whole share. With smaller micro-batches a share is embedded twice:
  /// first for the loss, then once more, piece by piece, for the gradients (GradCache, Gao et al. 2021). Collectives
  /// do not grow with their number.
  std::int64_t micro_batch = 0;
  /// Number of virtual shards into which the batch is cut. Over 0 the step has the same bits for any number of ranks;
  /// then shares must be those of `shares_of_shards`, and the encoder must have fixed tiles. A shard is in memory as a
  /// whole, also where it is larger than `micro_batch`.
  std::int64_t virtual_shards = 0;
  /// Way of the candidates without virtual shards; with them candidates are gathered.
  CandidateExchange exchange = CandidateExchange::gather;
  std::int64_t bucket = usual_bucket;  ///< elements of gradients that ranks on GPUs sum at once
  /// True: a rank that memory is refused to repeats that part of the step with half the micro-batch, down to one
  /// example or shard, and keeps to that. Where other ranks have a part of its sums already, all ranks repeat the step.
  /// False: the error goes through at once.
  bool may_halve = true;
};

/// Requests of a rank to all others; they travel with the loss, so that all ranks learn of them in the same step.
struct StepRequests {
  bool checkpoint = false;
  bool stop = false;
};

/// Memory that a step takes of a rank, as far as it follows from the batch.
struct StepMemory {
  /// Bytes of an example with the mean number of tokens: activations, the layers' scratch, and the growth of the latter
  /// in a forward without activations, which smaller micro-batches have first.
  std::int64_t activations_of_example = 0, scratch_of_example = 0, forward_of_example = 0;
  std::int64_t other_bytes = 0;  ///< embeddings, and candidates with their gradient
};

/// Loss and gradients of one global batch over all ranks: equal to those of one process, regardless of the shares.
class TrainingStep {
 public:
  /// Prepares steps of `encoder`, which was made with the objective's parameters.
  TrainingStep(SentenceEncoder& encoder, const Objective& objective, Communicator& communicator,
               const TrainingStepSettings& settings);

  struct Result {
    double loss = 0;          ///< loss of the global batch
    std::int64_t tokens = 0;  ///< tokens of the global batch, without padding
    StepRequests requests;    ///< requests of any rank
    /// Parts, one after another, in which this rank's share went through the encoder, and the examples of the largest.
    std::int64_t micro_batches = 0, largest_micro_batch = 0;
    /// Smallest micro-batch that a rank has come to, as memory was refused to it; 0: none was.
    std::int64_t halved_micro_batch = 0;
    /// False: a rank was asked to stop between two micro-batches. The gradients are then of no use, and only `requests`
    /// counts.
    bool is_whole = true;
  };

  /// Prepares a batch. `shares[r]` examples of it belong to rank r, in rank order; `read` gives this rank's. May be
  /// called by another thread while `run` runs.
  PreparedBatch prepare(std::int64_t step, const std::vector<std::int64_t>& shares, const ExampleReader& read) const;

  /// Afterwards the encoder's gradients are those of the whole batch, on every rank; their earlier values are lost.
  /// `requests`, unless null, is asked for a checkpoint at the end, and for a stop there and between micro-batches. A
  /// rank that is to stop computes no further micro-batch, but calls all collectives, so that no rank waits.
  Result run(const PreparedBatch& batch, TrainingRequests* requests = nullptr);

  /// Computes a few examples of this rank's part of `batch`, forwards and backwards, and returns the memory of a step,
  /// from the sizes that the objects report. Nothing where that is not known beforehand, as with given vectors, and
  /// where memory is refused. The gradients are lost.
  std::optional<StepMemory> predict_memory(const PreparedBatch& batch);
  /// Returns the bytes that a step with these shares then takes of this rank with micro-batches of `examples`, over 0.
  std::int64_t bytes_with(std::int64_t examples, const StepMemory& memory,
                          const std::vector<std::int64_t>& shares) const;
  /// Changes the micro-batch, from the next `run` on.
  void set_micro_batch(std::int64_t micro_batch) { micro_batch_ = micro_batch; }

  /// Returns the parts of memory that a step holds besides parameters and gradients. After a `run` that threw they are
  /// those of that moment, and the one that was to grow.
  std::vector<MemoryPart> memory() const;
  /// Gives the memory of activations back to LibTorch; the next step takes it again.
  void release_activations();

 private:
  enum class Growing { nothing, activations, candidates };
  /// Amounts that `memory` names besides those of objects.
  struct Held {
    Growing growing = Growing::nothing;
    std::int64_t sentences = 0, tokens = 0;  ///< with activations that are kept, or were kept last
    std::int64_t bytes_of_embeddings = 0;    ///< bytes of this rank's embeddings
    std::int64_t bytes_of_batch = 0;         ///< on a device other than the CPU
    bool micro_batches_can_shrink = true;    ///< by a smaller `micro_batch`
  };

  friend struct StepPass;

  /// Returns the batch of these `shares` in micro-batches of `micro_batch` examples.
  PreparedBatch packed(std::int64_t step, const std::vector<std::int64_t>& shares, const ExampleReader& read,
                       std::int64_t micro_batch) const;
  /// Halves the micro-batch of this and of later steps, and gives memory back, where the error `refusal` of a part of
  /// `pass` is a refusal of memory. Throws the error again where it is not, and where the micro-batch is as small as it
  /// gets.
  void halve_micro_batch(const StepPass& pass, const std::exception& refusal);

  // The parts of `run`, in their order.

  /// Fills the embeddings of this rank's examples, piece by piece.
  void embed(StepPass& pass);
  /// Exchanges embeddings with the other ranks, and compares this rank's anchors with all candidates.
  RankLoss evaluate(StepPass& pass);
  /// Runs the gradient by this rank's embeddings back through the encoder, piece by piece, and sums the gradients of
  /// all parameters over the ranks.
  void backward(StepPass& pass, const at::Tensor& gradient);
  /// Returns whether this rank is to stop, asked between two micro-batches of `pass`.
  static bool must_stop(StepPass& pass);
  /// Sums the ranks' numbers of the step. Nothing where all ranks are to repeat it.
  std::optional<Result> sum_over_ranks(StepPass& pass, const at::Tensor& loss_parts);

  /// Embeds piece number `piece`, and keeps in `kept` the activations for its backward, unless that is null.
  at::Tensor forward(const StepPass& pass, std::size_t micro_batch, SentenceActivations* kept);
  void backward_of_micro_batch(const StepPass& pass, std::size_t micro_batch, const at::Tensor& gradient);
  /// Returns the objective's parameters among the encoder's; undefined if it has none.
  at::Tensor objective_parameters() const;

  SentenceEncoder& encoder_;
  const Objective& objective_;
  Communicator& communicator_;
  TrainingStepSettings settings_;
  std::unique_ptr<GradientReduction> reduction_;
  std::atomic<std::int64_t> micro_batch_;         ///< also read by the thread that prepares the next batch
  std::int64_t halved_micro_batch_ = 0;           ///< see Result
  StepRequests asked_;                            ///< requests of this rank, also where the step is repeated
  std::vector<SentenceActivations> activations_;  ///< activations of the micro-batches in memory
  Held held_;
};

}  // namespace gausscse
