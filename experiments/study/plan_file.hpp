#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiments/manifest/planned_trial.hpp"

namespace gausscse {

/// Record of a study in its results folder ("gausscse-plan/1", JSON): all its trials, done or not, so that tables and
/// reports need no data and no models.
struct PlanFile {
  std::string study;          ///< the manifest's name
  std::string manifest_hash;  ///< XXH3-128 of the manifest's text that the plan was made from
  std::vector<PlannedTrial> trials;
  /// False for a file without a hash of its values: an earlier version wrote it, or somebody edited it. Not written.
  bool is_checked = true;
  bool operator==(const PlanFile&) const = default;
};

/// Returns the plan as JSON text.
std::string to_json(const PlanFile& plan);
/// Writes the plan atomically, and only if the file holds another text. Throws WriteError.
void write_plan(const std::filesystem::path& file, const PlanFile& plan);
/// Throws InputError, naming the file, where it is missing, none or of another version.
PlanFile read_plan(const std::filesystem::path& file);

}  // namespace gausscse
