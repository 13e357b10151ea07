#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "data/tokenizer/tokenizer.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Any model that sentences can be embedded with.
struct MeasuredModel {
  std::unique_ptr<SentenceEncoder> encoder;
  std::unique_ptr<Tokenizer> tokenizer;
  std::size_t max_tokens = 0;  ///< that sentences are cut to
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

/// Which, and how; an empty text: as the folder says.
struct MeasuredModelOptions {
  std::string folder, pooling, precision;
  at::Device device = at::kCPU;
};

/// Opens the folder `model` of a finished run as it was trained, or the encoder of any other Hugging Face folder, in
/// float32 unless told otherwise. Its pooling is the given one, else that of a folder of sentence-transformers. Throws
/// InputError, also for a pooling that a saved model was not trained with.
MeasuredModel open_measured_model(const MeasuredModelOptions& options);

}  // namespace gausscse
