#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gausscse {

/// The sentences of a text file, one a line, or `sentence1` of each pair of a file of the STS benchmark, in their order
/// and as they stand there. Throws InputError for a file that cannot be read or holds nothing, and with file and line
/// for what is not UTF-8.
std::vector<std::string> read_sentences(const std::filesystem::path& file);

}  // namespace gausscse
