#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// Name of a file that is one shard of several, as data sets have it: "train-00000-of-00002.parquet".
struct ShardName {
  std::string before;      ///< "train"
  std::size_t number = 0;  ///< 0; some count from 1
  std::size_t count = 0;   ///< 2
  std::size_t digits = 0;  ///< digits of a number, 5
  std::string behind;      ///< ".parquet"; older data sets of the Hugging Face hub have a hash before it
};

/// Returns the parts of such a name; nothing for any other.
std::optional<ShardName> find_shard_name(std::string_view file_name);

/// Returns the shards that the names of `files` count but that are not among them: "\"a-00001-of-00002.csv\" is
/// missing, by the name of \"a-00000-of-00002.csv\"". Empty: none is missing. Shards of one set have one folder and one
/// number of shards.
std::string missing_shards_text(const std::vector<std::filesystem::path>& files);

}  // namespace gausscse
