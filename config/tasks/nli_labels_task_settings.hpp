#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "config/tasks/nli_scoring.hpp"
#include "config/tasks/task_kind.hpp"
#include "data/corpus/corpus_layout.hpp"

namespace gausscse {

/// Settings of a task of three labels.
struct NliLabelsTaskSettings {
  std::filesystem::path file;  ///< empty: the examples that the trial holds out of its training files
  setting::SickRows rows = setting::SickRows::test;  ///< rows to read of SICK's full release
  CorpusLayout layout = {};                          ///< names in its files; an empty one: as the trial has it
  bool operator==(const NliLabelsTaskSettings&) const = default;

  static constexpr std::string_view kind = "nli_labels";
  static constexpr bool measures_vectors = false;
  static Keys<NliLabelsTaskSettings> keys();
  std::vector<std::filesystem::path*> paths() { return path_or_none(file); }
  std::optional<std::vector<std::filesystem::path>> files_of_folder() const { return std::nullopt; }
  MetricNames metric_names(bool has_directions) const;
  static std::vector<std::string_view> mapped_metrics() { return {}; }
  /// Returns problems of labels and of names without a file, and one unless the objective trains the classifier.
  std::vector<KeyProblem> problems_in(const TrialAroundTask& trial) const;
};

}  // namespace gausscse
