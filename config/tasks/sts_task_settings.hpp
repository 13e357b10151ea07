#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "config/tasks/task_kind.hpp"
#include "data/corpus/corpus_layout.hpp"

namespace gausscse {

/// Settings of an STS task.
struct StsTaskSettings {
  /// Folders of a SemEval year, files of the STS benchmark and of SICK; each gives one subset or more.
  std::vector<std::filesystem::path> files;
  /// Year of SemEval's folders, 12 to 16; 0: found out from the subsets that are there.
  std::int64_t year = 0;
  /// True if white space collapses to single blanks, none at the ends, as SentEval reads; RoBERTa's tokens depend on
  /// it.
  bool collapse_white_space = true;
  CorpusLayout layout = {};  ///< names in its files; an empty one: as the trial has it
  bool operator==(const StsTaskSettings&) const = default;

  static constexpr std::string_view kind = "sts";
  static constexpr bool measures_vectors = true;
  static Keys<StsTaskSettings> keys();
  std::vector<std::filesystem::path*> paths();
  std::optional<std::vector<std::filesystem::path>> files_of_folder() const { return std::nullopt; }
  MetricNames metric_names(bool has_directions) const;
  static std::vector<std::string_view> mapped_metrics() { return {"spearman"}; }
  std::vector<KeyProblem> problems_in(const TrialAroundTask&) const { return {}; }
};

}  // namespace gausscse
