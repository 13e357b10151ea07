#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/tasks/nli_scoring.hpp"
#include "config/tasks/task_kind.hpp"
#include "data/corpus/corpus_layout.hpp"

namespace gausscse {

/// Word of NliTaskSettings::threshold: the set chooses its own.
inline constexpr const char* own_threshold = "own";

/// Settings of an NLI task: its file, its threshold, and how it is scored.
struct NliTaskSettings {
  std::filesystem::path file;  ///< empty: the examples that the trial holds out of its training files
  /// Source of the threshold of similarity, from which on a pair counts as entailment. "own" is the one with the best
  /// accuracy on the set itself; others are the name of another NLI task, or a number.
  std::string threshold = own_threshold;
  /// Rows of SICK's full release; nothing: dev where the threshold is the set's own, else test.
  std::optional<setting::SickRows> rows = {};
  /// Scoring of the pairs; nothing: as the trial, or the model, has it for all its NLI tasks.
  std::optional<setting::TwoWayPairs> two_way_pairs = {};
  std::optional<setting::NoGoldLabel> no_gold_label = {};
  std::optional<setting::Auprc> auprc = {};
  /// Column or JSON key of the file for each value of which metrics are computed as well; empty: none.
  std::string by = {};
  CorpusLayout layout = {};  ///< names in its files; an empty one: as the trial has it
  bool operator==(const NliTaskSettings&) const = default;

  static constexpr std::string_view kind = "nli";
  static constexpr bool measures_vectors = true;
  static Keys<NliTaskSettings> keys();
  std::vector<std::filesystem::path*> paths() { return path_or_none(file); }
  std::optional<std::vector<std::filesystem::path>> files_of_folder() const { return std::nullopt; }
  MetricNames metric_names(bool has_directions) const;
  static std::vector<std::string_view> mapped_metrics() { return {"accuracy", "auprc"}; }
  /// Returns problems of labels, and of settings of files where there is no file.
  std::vector<KeyProblem> problems_in(const TrialAroundTask&) const;

  /// Returns `rows`, or the default in its place.
  setting::SickRows rows_read() const;
};

/// Returns the number that the threshold of an NLI task is; nothing where it is none.
std::optional<double> fixed_threshold_of(const NliTaskSettings& task);

}  // namespace gausscse
