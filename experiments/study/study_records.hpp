#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/world.hpp"
#include "experiments/manifest/planned_trial.hpp"

namespace gausscse {

/// Remedy for a done trial whose files were changed, for the end of a message.
inline constexpr const char* remedy_of_damage = "`gausscse run` sets the trial aside and trains it again";

/// Record of how a trial ran: it is written next to its result when it is done ("gausscse-run/1", JSON), and estimates
/// of other trials are learned from it.
struct RunRecord {
  std::string identity;            ///< identity of the trial; empty: of an earlier version, which recorded none
  std::uint64_t result_bytes = 0;  ///< size of result.h5; another size is that of a truncated file
  std::string result_hash;         ///< XXH3-128 of it
  std::string report_hash;         ///< XXH3-128 of report.json; empty: of an earlier version, which recorded none
  std::string trial_hash;          ///< the same of trial.yaml
  std::string attempts_hash;       ///< the same of attempts.json
  double seconds = 0;              ///< wall time, over all attempts
  std::int64_t attempts = 1;       ///< starts that it took
  std::int64_t steps = 0;          ///< optimizer steps
  double step_seconds = 0;         ///< time that these took together, evaluations and everything else left out
  std::int64_t ranks = 1, threads = 1;
  std::uint64_t peak_memory_bytes = 0;  ///< resident, of its largest process
  double gpu_memory_share = 0;          ///< largest share of its GPU's memory that it took; 0: on CPUs, or unknown
  std::uint64_t disk_bytes = 0;         ///< size of its folder
  std::vector<std::string> hosts;
  std::string ended;  ///< UTC by the clock of its host, for people: "2026-01-31T12:00:00Z"
  /// Step after which its patience ended it, and why (RunResult::ended_early); empty: it had all its steps.
  std::string ended_early = {};
  /// False for a file without a hash of its values: an earlier version wrote it, or somebody edited it. Not written.
  bool is_checked = true;
  bool operator==(const RunRecord&) const = default;
};

/// Writes the record atomically. Throws WriteError.
void write_run_record(const std::filesystem::path& file, const RunRecord& record, const World& world = real_world());
/// Throws InputError, naming the file, where it is missing or none.
RunRecord read_run_record(const std::filesystem::path& file, const World& world = real_world());

/// Why a trial failed ("gausscse-failure/1", JSON).
struct FailureRecord {
  std::string reason;              ///< "exit code 2", "signal 9 (Killed)", "the launcher cannot be started: ..."
  std::string error;               ///< error that the program reported, or the end of its log
  std::vector<std::string> lines;  ///< the last ones of its log
  std::int64_t attempts = 1;
  double seconds = 0;
  std::string host;
  std::string ended;
  bool operator==(const FailureRecord&) const = default;
};

void write_failure_record(const std::filesystem::path& file, const FailureRecord& record,
                          const World& world = real_world());
FailureRecord read_failure_record(const std::filesystem::path& file);

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

/// Returns whether a file is there that holds this text. Throws InputError, naming the path, where a folder, a symbolic
/// link or a pipe is in its place.
bool holds_text(const std::filesystem::path& file, const std::string& text);
/// Writes a file atomically, and only if it holds another text. Throws WriteError, and as `holds_text` does.
void write_if_changed(const std::filesystem::path& file, const std::string& text);

/// Returns the plan as JSON text.
std::string to_json(const PlanFile& plan);
/// Writes the plan as `write_if_changed` does.
void write_plan(const std::filesystem::path& file, const PlanFile& plan);
/// Throws InputError, naming the file, where it is missing, none or of another version.
PlanFile read_plan(const std::filesystem::path& file);

}  // namespace gausscse
