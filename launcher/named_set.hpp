#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// Returns name and file of an option's NAME=FILE. Of a FILE alone the name is the file's without its ending, and
/// without the numbers of a shard: "test" of "data/test-00000-of-00001.parquet". Throws InputError for a name that
/// tasks cannot have.
std::pair<std::string, std::filesystem::path> named_set(const std::string& option, const std::string& given);

/// Returns the sets of a folder of the Hugging Face hub, such as "validation": files `name`*.parquet in it or in its
/// folder `data`, by name. None of a path that is no folder. Those of several shards are left out, which is logged.
std::vector<std::filesystem::path> sets_of_folder(const std::filesystem::path& folder, const std::string& name);

}  // namespace gausscse
