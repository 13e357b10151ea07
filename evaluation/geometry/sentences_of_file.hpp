#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus/read_report.hpp"

namespace gausscse {

/// Returns the sentences of a text file, one a line, or `sentence1` of each pair of a file of the STS benchmark, with
/// or without a header. They are in their order and as they stand there. Throws InputError for a file that cannot be
/// read or holds nothing; on a line that is not UTF-8, or not of such a pair, as `bad_lines` says. Adds to `report`.
std::vector<std::string> read_sentences(const std::filesystem::path& file, BadLines bad_lines, ReadReport& report);

}  // namespace gausscse
