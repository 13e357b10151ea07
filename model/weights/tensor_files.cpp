#include "model/weights/tensor_files.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"
#include "base/user_paths.hpp"
#include "model/hub/given_folder.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* single_name = "model.safetensors";
constexpr const char* index_name = "model.safetensors.index.json";
/// A program in Python, which takes the folder as its argument and reads all shards.
constexpr const char* to_safetensors =
    "import glob, sys, torch; from safetensors.torch import save_file; "
    "save_file({name: values.contiguous().clone() for file in glob.glob(glob.escape(sys.argv[1]) + "
    "\"/pytorch_model*.bin\") "
    "for name, values in torch.load(file, map_location=\"cpu\", weights_only=True).items()}, "
    "sys.argv[1] + \"/model.safetensors\")";
constexpr std::size_t max_index_bytes = std::size_t{64} << 20;
constexpr std::size_t max_shards = 1000;

bool is_plain_shard_name(std::string_view name) {
  constexpr std::string_view extension = ".safetensors";
  return name.size() > extension.size() && name.size() <= 255 &&
         name.substr(name.size() - extension.size()) == extension &&
         name.find_first_of("/\\") == std::string_view::npos && name.front() != '.' &&
         name.find('\0') == std::string_view::npos;
}

[[noreturn]] void refuse_folder(const fs::path& folder) {
  check_model_folder(folder);
  std::error_code ignored;
  for (const char* other : {"pytorch_model.bin", "pytorch_model.bin.index.json"})
    if (fs::exists(folder / other, ignored))
      throw InputError(concat((folder / other).string(),
                              ": weights are read from safetensors files only (a pickle can run code): convert them, "
                              "where torch and safetensors are installed: python3 -c '",
                              to_safetensors, "' ", shell_word(folder.string())));
  for (const char* other : {"tf_model.h5", "flax_model.msgpack"})
    if (fs::exists(folder / other, ignored))
      throw InputError(concat((folder / other).string(), ": weights are read from safetensors files only: convert ",
                              "them to ", single_name, ", for example with the save_pretrained of transformers"));
  throw InputError(concat(folder.string(), ": no weights: neither ", single_name, " nor ", index_name, " is there"));
}

}  // namespace

std::map<std::string, std::string> parse_shard_index(std::string_view text, std::string_view source_name) {
  const JsonDocument document = parse_strict_json(text, source_name);
  const json& index = document;
  const auto refuse = [&](const auto&... parts) { throw InputError(concat(source_name, ": ", parts...)); };
  if (!index.is_object()) refuse("is not a JSON object, so it is no index of shards");
  for (const auto& [key, value] : index.items()) {
    if (key != "metadata" && key != "weight_map") {
      refuse("unknown key ", quoted(key), nearest_name(key, {"metadata", "weight_map"}));
    }
  }
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object())
    refuse("has no object weight_map, which says in which shard each tensor is");
  std::map<std::string, std::string> shards;
  for (const auto& [tensor, shard] : map->items()) {
    if (!shard.is_string() || !is_plain_shard_name(shard.get_ref<const std::string&>())) {
      refuse("tensor ", quoted(tensor), " is said to be in ", quoted(shard.dump()),
             ": a shard must be a .safetensors file in the same folder, named without a path");
    }
    shards.emplace(tensor, shard.get<std::string>());
  }
  if (shards.empty()) refuse("lists no tensors");
  return shards;
}

TensorFiles TensorFiles::open(const fs::path& folder) {
  TensorFiles result;
  std::error_code ignored;
  if (const fs::path single = folder / single_name; fs::exists(single, ignored)) {
    result.source_name_ = single.string();
    result.files_.push_back(SafetensorsFile::open(single));
    for (const TensorEntry& tensor : result.files_.front().tensors()) result.tensors_.emplace(tensor.name, &tensor);
  } else if (const fs::path index = folder / index_name; fs::exists(index, ignored)) {
    result.source_name_ = index.string();
    result.open_shards(folder, index);
  } else {
    refuse_folder(folder);
  }
  return result;
}

void TensorFiles::open_shards(const fs::path& folder, const fs::path& index) {
  const std::map<std::string, std::string> shard_of =
      parse_shard_index(read_whole_file(index, max_index_bytes), source_name_);
  std::vector<std::string> shards;
  for (const auto& [tensor, shard] : shard_of) shards.push_back(shard);
  std::sort(shards.begin(), shards.end());
  shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
  if (shards.size() > max_shards) {
    throw InputError(concat(source_name_, ": lists ", shards.size(), " shards, more than ", max_shards));
  }

  for (const std::string& shard : shards) {
    const fs::path path = folder / shard;
    files_.push_back(SafetensorsFile::open(path));
    for (const TensorEntry& tensor : files_.back().tensors()) {
      const auto listed = shard_of.find(tensor.name);
      if (listed == shard_of.end()) {
        throw InputError(concat(path.string(), ": tensor ", quoted(tensor.name), " is not listed in ", source_name_,
                                ": index and shards are not of the same model"));
      }
      if (listed->second != shard) {
        throw InputError(concat(path.string(), ": tensor ", quoted(tensor.name), " should be in ", listed->second,
                                " by ", source_name_, ": index and shards are not of the same model"));
      }
      tensors_.emplace(tensor.name, &tensor);
    }
  }
  for (const auto& [tensor, shard] : shard_of) {
    if (tensors_.find(tensor) == tensors_.end()) {
      throw InputError(concat(source_name_, ": tensor ", quoted(tensor), " is not in ", shard,
                              ", where it should be: index and shards are not of the same model"));
    }
  }
}

}  // namespace gausscse
