#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus/byte_source.hpp"
#include "data/sts/sts_pair.hpp"

namespace gausscse {

/// The pairs of a file of SICK with their relatedness, 1 to 5 (SICK-R): of the SemEval files all rows, of the full
/// release those of SemEval_set TEST. Throws InputError for a file that cannot be read or is not SICK, and with file
/// and line for a row with too few fields, a score that is no number from 0 to 5, or a sentence that is none.
std::vector<StsPair> read_sick_relatedness(const std::filesystem::path& path);

/// The same from any source; `name` stands for the path in messages.
std::vector<StsPair> read_sick_relatedness(ByteSource& source, const std::string& name);

}  // namespace gausscse
