#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/atomic_folder.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// What a folder of the library sentence-transformers says of its model.
struct SentenceTransformersFolder {
  std::filesystem::path encoder;  ///< where config.json and the weights are
  PoolingKind pooling = PoolingKind::first_token;
};

/// Reads `modules.json` and what it names; nothing where there is none. A last module Normalize is passed over: cosines
/// do not change. Throws InputError, with the file, for what this program cannot compute: another module, a pooling of
/// several kinds at once or of an unknown one, files that are missing or malformed.
std::optional<SentenceTransformersFolder> read_sentence_transformers_folder(const std::filesystem::path& folder);

/// Where config.json, weights and tokenizer of a model folder lie: the folder itself, or that of the module Transformer
/// of a folder of sentence-transformers that keeps it apart. Throws InputError where `modules.json` is malformed.
std::filesystem::path transformer_folder(const std::filesystem::path& folder);

/// Whether sentence-transformers has the parts that a saved model needs: it has no mean without the first token.
bool opens_in_sentence_transformers(PoolingKind pooling);

/// Adds to a folder with the encoder what makes sentence-transformers (tried with 6.2) open the model: the modules
/// Transformer and Pooling; of a Gaussian head two Dense, so that `encode(x)` gives means and
/// `encode(x, output_value="log_variance")` log-variances; of mlp_tanh one Dense. Sentences are cut to `max_tokens`.
void add_sentence_transformers_files(AtomicFolder& output, const SentenceEncoder& encoder, std::int64_t max_tokens);

}  // namespace gausscse
