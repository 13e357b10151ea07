#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/corpus/read_report.hpp"
#include "data/sts/sts_pair.hpp"

namespace gausscse {

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

/// Reads a folder of files as distributed: for each subset X `STS.input.X.txt` (`STS2016.input.X.txt`), two sentences a
/// line with a tab between them, and `STS.gs.X.txt` with their scores; a line without a score is left out. `year` 0:
/// the year that has all subsets of the folder. Throws InputError for a folder without any, one whose subsets belong to
/// no year or to several, a file without its other half, halves of unlike length, or a score that is not from 0 to 5;
/// on a line that is neither two sentences nor a number as `bad_lines` says. Adds to `report`.
SemEvalYear read_semeval_year(const std::filesystem::path& folder, int year, BadLines bad_lines, ReadReport& report);

}  // namespace gausscse
