#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace gausscse {

/// Returns name and file of an option's NAME=FILE. Of a FILE alone the name is the file's without its ending, and
/// without the numbers of a shard: "test" of "data/test-00000-of-00001.parquet". Throws InputError for a name that
/// tasks cannot have.
std::pair<std::string, std::filesystem::path> named_set(const std::string& option, const std::string& given);

}  // namespace gausscse
