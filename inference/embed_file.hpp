#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "data/corpus/token_counts.hpp"
#include "dist/communicator.hpp"
#include "inference/sentence_file.hpp"
#include "inference/sentence_model.hpp"

namespace gausscse {

struct EmbedFileSettings {
  std::string name;                                           ///< name of the file, for the notes
  std::size_t threads = 1;                                    ///< threads that tokenise
  std::function<void(std::size_t lines_done)> on_block = {};  ///< called after each block, on every rank
  /// Removes sentences of a block that are not to be embedded; called on every rank. Empty: all are embedded.
  std::function<void(std::vector<std::string>& sentences)> choose = {};
  /// True: every rank gets the embeddings, each calls `take`, which may call collectives. False: rank 0 alone.
  bool on_every_rank = false;
  TokenCounts* counts = nullptr;  ///< gets the counts of tokens, if it is not null
};

/// Embeds the sentences of `file`, from its first block on, by all ranks together. Rank 0, or every rank, gets each
/// block's embeddings in `take`: [sentences, width] on the CPU, of a Gaussian model mean then log-variance, in the
/// file's order. They have the same bits for any number of ranks and threads, and memory does not grow with the file.
/// Returns notes on sentences that were cut and on unknown tokens. Reading and `take` are slow work, for which other
/// ranks wait. Collective.
Notes embed_file(SentenceFile& file, SentenceModel& model, Communicator& communicator,
                 const EmbedFileSettings& settings, const std::function<void(const at::Tensor&)>& take);

}  // namespace gausscse
