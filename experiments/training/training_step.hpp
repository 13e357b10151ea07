#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dist/communicator.hpp"
#include "dist/row_gather.hpp"
#include "model/objective/objective.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Sentences of some triples, roles one after another: all premises, all entailments, all contradictions.
struct TripleSentences {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> offsets;  ///< 3 * triples + 1
};

/// Token ids of the triples [begin, end) of the global batch.
using TripleReader = std::function<TripleSentences(std::int64_t begin, std::int64_t end)>;

struct TrainingStepSettings {
  std::uint64_t seed = 0;
  bool dropout = true;
  /// Triples a rank has in memory at once; 0: its whole share. With smaller micro-batches a share is embedded twice:
  /// first for the loss, then once more, piece by piece, for the gradients (GradCache, Gao et al. 2021). Collectives
  /// do not grow with their number.
  std::int64_t micro_batch = 0;
};

/// Loss and gradients of one global batch over all ranks: equal to those of one process, whatever the shares.
class TrainingStep {
 public:
  TrainingStep(SentenceEncoder& encoder, const Objective& objective, Communicator& communicator,
               const TrainingStepSettings& settings);

  struct Result {
    double loss;          ///< of the global batch
    std::int64_t tokens;  ///< of the global batch, without padding
  };

  /// `shares[r]` triples of the batch belong to rank r, in rank order; `read` gives this rank's. Afterwards the
  /// encoder's gradients are those of the whole batch, on every rank; what was in them before is lost.
  Result run(std::int64_t step, const std::vector<std::int64_t>& shares, const TripleReader& read);

 private:
  PackedBatch pack(const TripleSentences& sentences, std::int64_t begin) const;

  SentenceEncoder& encoder_;
  const Objective& objective_;
  Communicator& communicator_;
  TrainingStepSettings settings_;
};

}  // namespace gausscse
