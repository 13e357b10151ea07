#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/choices.hpp"

namespace gausscse {

/// Part of a model folder that a command uses.
enum class FolderPart {
  encoder,           ///< token ids, or states of tokens: prompts and modules behind it are left out with a warning
  pooled_encoder,    ///< states of tokens, pooled as somebody says: modules are left out with a warning
  sentence_vectors,  ///< the folder's own embeddings: modules that cannot be computed are refused
};

/// Texts that sentence-transformers puts before sentences, by `config_sentence_transformers.json`.
struct ModelPrompts {
  std::map<std::string, std::string> texts;  ///< by their names: "query" -> "query: "
  std::string usual;                         ///< name of the prompt that every sentence gets; may be empty
  /// File that leaves the tokens of prompts out of the pooling, which this program does not; empty where none does.
  std::string left_out_by;
};

/// A model folder as its files next to config.json, weights and tokenizer describe it.
struct ModelFolder {
  std::filesystem::path encoder;       ///< folder of config.json, weights and tokenizer
  std::optional<PoolingKind> pooling;  ///< pooling of `modules.json`; nothing where there is none, or of another kind
  ModelPrompts prompts;
  std::vector<std::string> notes;     ///< settings that are not applied, without an effect on cosines
  std::vector<std::string> warnings;  ///< settings that are not applied, by which other programs compute other vectors
};

/// Reads the files of sentence-transformers that a model folder has: `modules.json` and the files that it names, and
/// `config_sentence_transformers.json`. It also reads the file of its module Transformer, whose `do_lower_case` and
/// `max_seq_length` the tokenizer reads (`model/hub/model_folder_keys.hpp` lists them all). The folder of a finished
/// run is taken for its `model`. Throws InputError where there is no folder, where files are malformed or have no
/// module Transformer, and, for `sentence_vectors`, for modules that this program cannot compute.
ModelFolder read_model_folder(const std::filesystem::path& folder, FolderPart part);

/// Returns the pooling that a folder was made for: that of a run's model, else that of `read`, the same folder's.
/// Nothing where it names none.
std::optional<PoolingKind> own_pooling(const std::filesystem::path& folder, const ModelFolder& read);

}  // namespace gausscse
