#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/folder/properties_file.hpp"
#include "model/folder/sentence_transformers_writer.hpp"
#include "model/objective/similarity.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Reads the encoder's weights of a Hugging Face folder into `encoder` (float32). Returns a line for people on tensors
/// that are left out (poolers, language-model heads, position ids) and one on a wrapper's prefix of all names, where
/// there are any. Throws InputError, see EncoderCheckpoint.
std::vector<std::string> load_encoder_weights(const std::filesystem::path& folder, SentenceEncoder& encoder);

/// Properties of a saved model besides its weights.
struct ModelProperties {
  Similarity similarity = Similarity::per_dimension;  ///< similarity of its training and of scores of pairs
  /// Threshold of similarity, from which on a pair counts as entailment; nothing where the training chose none.
  std::optional<double> threshold = std::nullopt;
  /// The activation of the classifier of pairs that the objective trained; nothing where it trained none.
  std::optional<ClassifierActivation> classifier = std::nullopt;
  std::int64_t max_tokens = 0;  ///< number of tokens that sentences were cut to in training
  bool trim = false;            ///< true if sentences lost the white space at their ends in training
  std::string state = {};       ///< state of the training that it is: "best" or "last"
  std::int64_t step = 0;        ///< optimizer steps before it
  /// Settings of the training's evaluation: their names and values, in words.
  std::map<std::string, std::string> evaluation = {};
  /// Content of calibration.json, by which similarities become probabilities; empty: there is none.
  std::string calibration = {};
};

/// A model that `save_model` wrote.
struct SavedModel {
  std::unique_ptr<SentenceEncoder> encoder;
  ModelProperties properties;
};

/// Returns whether `save_model` wrote the folder, be it in a former format, which `open_model` refuses.
bool is_saved_model(const std::filesystem::path& folder);

/// Opens a folder that `save_model` wrote, on `device`, with the precision that it was saved with unless another is
/// given. Throws InputError, also for a folder that has an encoder only.
SavedModel open_model(const std::filesystem::path& folder, std::optional<Precision> precision,
                      at::Device device = at::kCPU);

/// Writes a folder whole or not at all. It holds config.json, model.safetensors (which `transformers` opens as the
/// encoder), copies of `tokenizer_files` and README.md with `card`. Unless `form` leaves both out, it holds
/// gausscse.safetensors and, if there is a calibration, calibration.json. It also holds the modules that
/// `sentence-transformers` opens, where it has the pooling, in this `form`. An existing folder is replaced. Throws
/// WriteError.
void save_model(const std::filesystem::path& folder, const SentenceEncoder& encoder, const ModelProperties& properties,
                const std::vector<std::filesystem::path>& tokenizer_files, const std::string& card,
                const SentenceTransformersSettings& form = {});

}  // namespace gausscse
