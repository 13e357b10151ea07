#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

namespace gausscse {

/// What an STS task reads.
struct StsTaskSettings {
  /// Folders of a SemEval year, files of the STS benchmark and of SICK; each gives one subset or more.
  std::vector<std::filesystem::path> files;
  /// Of SemEval's folders, 12 to 16; 0: told from the subsets that are there.
  std::int64_t year = 0;
  /// Whether white space collapses to single blanks, none at the ends, as SentEval reads; RoBERTa's tokens depend on
  /// it.
  bool collapse_white_space = true;
};

/// What a geometry task reads and measures; see experiments/evaluation/geometry.
struct GeometryTaskSettings {
  std::filesystem::path file;  ///< one sentence a line, or a file of the STS benchmark
  /// Whether padding counts as a token id of its own, as in the released notebook.
  bool pads = false;
  std::int64_t samples = 1000;  ///< sentences of a figure that is sampled
  std::int64_t draws = 10;      ///< samples that informativity is averaged over
  std::int64_t seed = 0;
};

/// A task under the user's name for it.
struct TaskSettings {
  std::string name;
  std::variant<StsTaskSettings, GeometryTaskSettings> of_kind;
};

}  // namespace gausscse
