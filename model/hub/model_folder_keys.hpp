#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// Key of a model folder's file that is not read, where any but the usual values is warned of.
struct FixedKey {
  std::string_view key;
  std::string_view usual;   ///< values without effect, as a JSON array; null is one, too
  std::string_view effect;  ///< behaviour of other programs by another value
};

/// File of a model folder with the keys that are known of it.
struct ModelFolderFile {
  std::string_view name;
  /// Keys that are read: other values give other ids or vectors, or are refused or warned of by the reader.
  std::vector<std::string_view> applied;
  std::vector<FixedKey> fixed;
  /// Keys without an effect on ids or vectors here, regardless of their values.
  std::vector<std::string_view> harmless_keys;
};

/// Returns the JSON files of a model folder besides the encoder's config.json and tokenizer.json. Those two are read
/// key by key, and refused where a key is not known (`known_config_keys`, `parse_tokenizer_json`).
const std::vector<ModelFolderFile>& model_folder_files();

/// Returns the names that sentence-transformers gave the file of its module Transformer, the usual one first. The first
/// that a folder has counts.
const std::vector<std::string>& sentence_transformers_config_names();

/// A file that changes the results of other programs with the folder, and that this program does not read.
struct UnreadFile {
  std::string_view name;
  std::string_view effect;
  bool of_tokenizer = false;  ///< without an effect if the folder has a tokenizer.json
};
const std::vector<UnreadFile>& unread_model_files();

/// Returns one warning for each fixed key of `object` with another value than its usual ones, and one for all keys that
/// are not known and whose values switch something on. `file` is a name in `model_folder_files`, `source` the file for
/// messages.
std::vector<std::string> unused_keys_with_effect(const nlohmann::json& object, std::string_view file,
                                                 const std::string& source);

/// Returns true for null, false, and an empty text, list or object, and for a list or object of nothing else.
bool is_empty_value(const nlohmann::json& value);

}  // namespace gausscse
