#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "model/choices.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// Outcome for the head of a folder that a training starts from, or for its pair classifier.
struct LoadedPart {
  bool is_loaded = false;
  std::string text;  ///< a line for people; empty where neither the folder nor the training has such a part
};

/// Reads the head that `save_model` wrote to `folder` into `encoder`, where both heads are of one kind. Throws
/// InputError where the folder's head is damaged.
LoadedPart load_head_weights(const std::filesystem::path& folder, SentenceEncoder& encoder);

/// Reads the pair classifier that the training of `folder` left into `encoder`, whose objective has one with this
/// activation, or none. It is left out where the shapes differ, and where the heads are of two kinds, as it reads other
/// embeddings then. Throws InputError where the folder's classifier is damaged.
LoadedPart load_classifier_weights(const std::filesystem::path& folder, SentenceEncoder& encoder,
                                   std::optional<ClassifierActivation> activation);

}  // namespace gausscse
