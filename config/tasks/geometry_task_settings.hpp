#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "config/tasks/task_kind.hpp"

namespace gausscse {

/// Settings of measurements of the geometry of tokens.
struct GeometrySettings {
  /// True if padding counts as its own token id, as in the released notebook: see `pack_batch_with_pads`.
  bool pads = false;
  std::int64_t samples = 1000;  ///< sentences of a metric that is sampled
  std::int64_t draws = 10;      ///< samples that informativity is averaged over
  std::int64_t seed = 0;
  bool vectors = false;  ///< true if the mean-pooled vectors of the sentences are kept
  bool operator==(const GeometrySettings&) const = default;
};

/// Settings of a geometry task.
struct GeometryTaskSettings {
  std::filesystem::path file;  ///< one sentence a line, or a file of the STS benchmark
  GeometrySettings measured = {};
  std::int64_t vectors_at = 0;  ///< steps after which the measurement is kept with its vectors, too; 0: none
  bool operator==(const GeometryTaskSettings&) const = default;

  static constexpr std::string_view kind = "geometry";
  static constexpr bool measures_vectors = false;
  static Keys<GeometryTaskSettings> keys();
  std::vector<std::filesystem::path*> paths() { return {&file}; }
  std::optional<std::vector<std::filesystem::path>> files_of_folder() const { return std::nullopt; }
  /// Returns that any name may be given: names depend on layers and ids.
  MetricNames metric_names(bool) const { return {{}, {""}}; }
  static std::vector<std::string_view> mapped_metrics() { return {"anisotropy"}; }
  /// Returns problems of `vectors_at`: vectors are kept only of steps at which the task is measured.
  std::vector<KeyProblem> problems_in(const TrialAroundTask& trial) const;
};

}  // namespace gausscse
