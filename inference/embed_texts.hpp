#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "inference/sentence_model.hpp"

namespace gausscse {

/// Called on the thread that asked for embeddings, with 0 while sentences are tokenised and then after each batch that
/// this thread embeds: sentences that all threads have embedded. What it throws ends the embedding.
using EmbeddingWatch = std::function<void(std::size_t sentences_done)>;

/// Embeddings of sentences, [sentences, width] on the CPU, of a Gaussian model mean then log-variance, and notes on
/// sentences that were cut and on unknown tokens.
struct EmbeddedTexts {
  at::Tensor rows;
  Notes notes;
};

/// Embeds sentences in memory, by this process alone. The bits are the same for any number of threads, and those of
/// `encode` for one block of a file (SentenceFile). In another list a sentence has the same bits on CPUs; on a GPU the
/// last ones may differ. Sentences lose the white space at their ends if the model was trained so. Throws InputError
/// for a text that is not UTF-8.
EmbeddedTexts embed_texts(std::vector<std::string> sentences, SentenceModel& model, std::size_t threads,
                          const EmbeddingWatch& watch = {});

}  // namespace gausscse
