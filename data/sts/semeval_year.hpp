#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus/read_report.hpp"
#include "data/corpus/text_readers.hpp"
#include "data/sts/sts_file.hpp"

namespace gausscse {

/// Returns the two files of a subset of SemEval's STS: two sentences a line with a tab between them, and a score a
/// line; pairs without a score are left out. The names are shown as the files in messages. Throws InputError for files
/// of unlike length, without a pair, or with a score that is not from 0 to 5. On a line that is neither two sentences
/// nor a number it acts as `bad_lines` says. Adds to `report`.
std::vector<StsPair> read_scored_pairs(ByteSource& input, const std::string& input_name, ByteSource& scores,
                                       const std::string& scores_name, BadLines bad_lines, ReadReport& report);

/// Pairs that belong together: a file, or one of the parts of a year of SemEval's STS.
struct StsSubset {
  std::string name;
  std::vector<StsPair> pairs;
};

/// A year of SemEval's STS task.
struct SemEvalYear {
  int year = 0;                      ///< 12 to 16
  std::vector<StsSubset> subsets;    ///< subsets of the folder, in the order of the names below
  std::vector<std::string> missing;  ///< names of the subsets that the folder lacks
};

/// Returns the subsets that a year is made of (SimCSE's and SentEval's evaluations; of 2013 without SMT, which is under
/// a licence).
const std::vector<std::string>& semeval_subsets(int year);

/// Reads a folder of files as distributed. Each subset X has `STS.input.X.txt` (`STS2016.input.X.txt`), two sentences a
/// line with a tab between them, and `STS.gs.X.txt` with their scores. A line without a score is left out. `year` 0:
/// the year that has all subsets of the folder. Throws InputError for a folder without any, and for one whose subsets
/// belong to no year or to several. Also for a file without its other half, halves of unlike length, and a score that
/// is not from 0 to 5. On a line that is neither two sentences nor a number it acts as `bad_lines` says. Adds to
/// `report`.
SemEvalYear read_semeval_year(const std::filesystem::path& folder, int year, BadLines bad_lines, ReadReport& report);

}  // namespace gausscse
