#pragma once

#include <filesystem>
#include <string>

#include "inference/sentence_model.hpp"
#include "model/choices.hpp"
#include "model/folder/model_card_head.hpp"

namespace gausscse {

/// Folder of sentence-transformers that a saved model is exported as.
struct SentenceTransformersExport {
  GaussianModules modules = GaussianModules::mean;
  /// True if gausscse can open it as the model: with the file of its head and settings.
  bool has_properties = true;
  ModelFacts facts = {};  ///< facts of its README.md; the library is set here
};

/// Writes a new folder that sentence-transformers opens. `model` must be a saved one, on the CPU. Throws InputError for
/// a pooling that the library lacks, and for both modules of a model that is not Gaussian; WriteError.
void export_sentence_transformers(const std::filesystem::path& folder, const SentenceModel& model,
                                  const SentenceTransformersExport& form);

/// Writes a new folder with the encoder as model.onnx (model/onnx/encoder_graph.hpp), its tokenizer's files,
/// config.json and a README.md that shows how Python runs it. `model` is an encoder on the CPU. Throws InputError for a
/// model of more than 2 GiB, WriteError. `version` is the program's.
void export_onnx(const std::filesystem::path& folder, const SentenceModel& model, const std::string& version,
                 const ModelFacts& facts);

}  // namespace gausscse
