#pragma once

#include <cstdint>

#include "base/atomic_file.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Returns whether sentence-transformers has the parts that a saved model needs: it has no mean without the first
/// token.
bool opens_in_sentence_transformers(PoolingKind pooling);

/// Settings by which a saved model is written for sentence-transformers.
struct SentenceTransformersSettings {
  GaussianModules modules = GaussianModules::mean;
  bool lowers_sentences = false;  ///< see Tokenizer
  /// False: without gausscse.safetensors, so that the folder is a model of sentence-transformers alone.
  bool has_properties = true;
};

/// Adds to a folder with the encoder the files with which sentence-transformers (tried with 6.2) opens the model. These
/// are the modules Transformer and Pooling, and one Dense for the head of mlp_tanh or the mean of a Gaussian. Where the
/// head scales vectors, a Normalize stands before it and behind the mean's: means have the length 1 there. With
/// `GaussianModules::mean_and_log_var` Dense modules for the log-variance stand before that of the mean; both read the
/// same vector, so that `encode(x)` gives means and `encode(x, output_value="log_variance")` log-variances. A program
/// that applies each Dense to the output of the one before computes something else of that form.
void add_sentence_transformers_files(AtomicFolder& output, const SentenceEncoder& encoder,
                                     const SentenceTransformersSettings& settings, std::int64_t max_tokens);

/// Adds the file that says to lower sentences, which the tokenizer reads, and to make no pooler of the encoder. It is
/// part of the files above.
void add_sentence_settings(AtomicFolder& output, const SentenceTransformersSettings& settings, std::int64_t max_tokens,
                           EncoderConfig::Architecture architecture);

}  // namespace gausscse
