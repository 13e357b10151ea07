#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

#include "dist/communicator.hpp"
#include "inference/sentence_file.hpp"
#include "launcher/measured_model.hpp"

namespace gausscse {

/// What to embed, with what, and whether to show how far it is.
struct EmbedFileSettings {
  std::string name;         ///< of the file, for the log
  std::size_t threads = 1;  ///< that tokenise
  bool show_progress = true;
};

/// Embeds the sentences of `file`, from its first block on, by all ranks together. Rank 0 gets each block's embeddings
/// in `take`: [sentences, width] on the CPU, of a Gaussian model mean then log-variance, in the file's order. They have
/// the same bits for any number of ranks and threads, and memory does not grow with the file. The log tells bad lines,
/// progress and cut sentences. Reading and `take` are slow work, for which other ranks wait. Collective.
void embed_file(SentenceFile& file, MeasuredModel& model, Communicator& communicator, const EmbedFileSettings& settings,
                const std::function<void(const at::Tensor&)>& take);

}  // namespace gausscse
