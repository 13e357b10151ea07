#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/weights/safetensors.hpp"

namespace gausscse {

/// Returns the `weight_map` of a model.safetensors.index.json: tensor name -> file name of its shard. Throws
/// InputError, with `source_name`, for text that is no such index, and for shard names that are not plain names of
/// .safetensors files.
std::map<std::string, std::string> parse_shard_index(std::string_view text, std::string_view source_name);

/// The tensors of a Hugging Face model folder: of model.safetensors, or of the shards that
/// model.safetensors.index.json lists.
class TensorFiles {
 public:
  /// Throws InputError where neither is there, a file breaks a rule of the format, a shard is missing, or index and
  /// shards disagree on which tensor is where.
  static TensorFiles open(const std::filesystem::path& folder);

  /// Returns all tensors by name; valid while the object lives.
  const std::map<std::string, const TensorEntry*>& tensors() const { return tensors_; }
  /// Returns the name of the source in messages: the file, or the index.
  const std::string& source_name() const { return source_name_; }

 private:
  TensorFiles() = default;
  void open_shards(const std::filesystem::path& folder, const std::filesystem::path& index);

  std::string source_name_;
  std::vector<SafetensorsFile> files_;
  std::map<std::string, const TensorEntry*> tensors_;
};

}  // namespace gausscse
