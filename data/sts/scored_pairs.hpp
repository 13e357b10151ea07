#pragma once

#include <string>
#include <vector>

#include "data/corpus/byte_source.hpp"
#include "data/corpus/read_report.hpp"
#include "data/sts/sts_pair.hpp"

namespace gausscse {

/// Returns the two files of a subset of SemEval's STS: two sentences a line with a tab between them, and a score a
/// line; pairs without a score are left out. The names are shown as the files in messages. Throws InputError for files
/// of unlike length, without a pair, or with a score that is not from 0 to 5; on a line that is neither two sentences
/// nor a number as `bad_lines` says. Adds to `report`.
std::vector<StsPair> read_scored_pairs(ByteSource& input, const std::string& input_name, ByteSource& scores,
                                       const std::string& scores_name, BadLines bad_lines, ReadReport& report);

}  // namespace gausscse
