#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/choice.hpp"
#include "config/tasks/task_kind.hpp"
#include "data/transfer/transfer_layout.hpp"

namespace gausscse {

namespace setting {

/// Effort of transfer tasks at fitting their classifiers.
enum class TransferMode {
  full,  ///< 10 folds, Adam: SimCSE's `test`
  fast   ///< 5 folds, RMSprop: SimCSE's `fasttest` and `dev`, Liao's program
};

}  // namespace setting

template <>
inline constexpr NameTable<setting::TransferMode, 2> names<setting::TransferMode>{
    {{setting::TransferMode::full, "full"}, {setting::TransferMode::fast, "fast"}}};

/// Settings of SentEval's classification tasks.
struct TransferTaskSettings {
  std::filesystem::path folder;  ///< laid out as SentEval's data/downstream
  /// Tasks that are averaged; SimCSE's seven by default.
  std::vector<TransferDataset> tasks{TransferDataset::mr,   TransferDataset::cr,   TransferDataset::subj,
                                     TransferDataset::mpqa, TransferDataset::sst2, TransferDataset::trec,
                                     TransferDataset::mrpc};
  setting::TransferMode mode = setting::TransferMode::full;
  std::int64_t seed = 1111;
  bool operator==(const TransferTaskSettings&) const = default;

  static constexpr std::string_view kind = "transfer";
  static constexpr bool measures_vectors = true;
  static Keys<TransferTaskSettings> keys();
  std::vector<std::filesystem::path*> paths() { return {&folder}; }
  /// Returns the files of `tasks` that are there.
  std::optional<std::vector<std::filesystem::path>> files_of_folder() const;
  MetricNames metric_names(bool has_directions) const;
  static std::vector<std::string_view> mapped_metrics() { return {}; }
  std::vector<KeyProblem> problems_in(const TrialAroundTask&) const { return {}; }
};

}  // namespace gausscse
