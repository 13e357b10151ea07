#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "data/tokenizer/tokenizer.hpp"
#include "dist/control_group.hpp"
#include "model/choices.hpp"
#include "model/sentence_embedder.hpp"

namespace gausscse {

/// What a model without positions takes: sentences are not cut.
inline constexpr std::size_t no_limit_of_tokens = std::numeric_limits<std::uint32_t>::max();

/// Any model that sentences can be embedded with.
struct MeasuredModel {
  std::unique_ptr<SentenceEmbedder> embedder;
  std::unique_ptr<Tokenizer> tokenizer;
  std::size_t positions = 0;                              ///< tokens that it can take, see no_limit_of_tokens
  std::size_t max_tokens = 0;                             ///< that sentences are cut to
  std::int64_t parameters = 0, embedding_parameters = 0;  ///< of its encoder and head; those of words or tokens
  Similarity similarity = Similarity::cosine;
  bool trim = false;                               ///< whether sentences lose the white space at their ends
  std::optional<double> threshold;                 ///< of similarity, from which on a pair counts as entailment
  std::optional<ClassifierActivation> classifier;  ///< see ModelProperties
  /// Which state of a training it is; empty where it is from elsewhere.
  std::string state = {};
  std::int64_t step = 0;
  std::map<std::string, std::string> evaluation = {};  ///< see ModelProperties
  std::string agreement;  ///< what the ranks must have in common of it, for `check_agreement`
};

/// Which, and how; an empty text: as the model says.
struct MeasuredModelOptions {
  std::string path, pooling, precision;
  std::size_t max_tokens = 0;  ///< that sentences are cut to; 0: as the model says
};

/// Opens, with `device` for its products,
///  - the folder `model` of a finished run as it was trained, also where its run's folder is given;
///  - the encoder of any other Hugging Face folder, in float32 unless told otherwise; its pooling is the given one,
///    else that of a folder of sentence-transformers;
///  - a file of word vectors, whose index is made first where there is none, and which computes on the CPU.
/// Throws InputError, also for a pooling that a saved model was not trained with, for more tokens than an encoder has
/// positions, and for options that word vectors have no use for. Collective; the log tells of an index that is made,
/// with the progress of rank 0 if `show_progress` is set.
MeasuredModel open_measured_model(const MeasuredModelOptions& options, at::Device device, ControlGroup& ranks,
                                  bool show_progress);

}  // namespace gausscse
