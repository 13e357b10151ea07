#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/tasks/nli_scoring.hpp"
#include "config/tasks/task_kind.hpp"
#include "data/corpus/corpus_layout.hpp"
#include "data/retrieval/retrieval_layout.hpp"

namespace gausscse {

/// Settings of a task of queries that look for documents.
struct RetrievalTaskSettings {
  std::filesystem::path path;                        ///< a folder in BEIR's layout, or a file of NLI
  std::optional<RetrievalFrom> from = {};            ///< nothing: as the path shows
  std::string split = "test";                        ///< name of the file of judgements in the folder `qrels`
  setting::SickRows rows = setting::SickRows::test;  ///< rows of SICK's full release that give queries
  CorpusLayout layout = {};                          ///< names in a file of NLI; an empty one: as the trial has it
  bool operator==(const RetrievalTaskSettings&) const = default;

  static constexpr std::string_view kind = "retrieval";
  static constexpr bool measures_vectors = true;
  static Keys<RetrievalTaskSettings> keys();
  std::vector<std::filesystem::path*> paths() { return {&path}; }
  /// Returns the files of a folder in BEIR's layout.
  std::optional<std::vector<std::filesystem::path>> files_of_folder() const;
  MetricNames metric_names(bool has_directions) const;
  static std::vector<std::string_view> mapped_metrics() { return {"recall_at_1", "mrr_at_10"}; }
  /// Returns problems of labels, and of keys that have no effect on files of this kind.
  std::vector<KeyProblem> problems_in(const TrialAroundTask&) const;

  /// Returns whether a folder in BEIR's layout is read.
  bool reads_beir() const;
};

}  // namespace gausscse
