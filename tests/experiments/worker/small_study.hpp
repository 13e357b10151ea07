#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "experiments/study/study_results.hpp"
#include "experiments/worker/run_study.hpp"

namespace gausscse {

/// A folder with all that a manifest needs, whose trials `fake_train` runs.
class SmallStudy {
 public:
  explicit SmallStudy(const std::filesystem::path& folder);

  std::filesystem::path manifest() const { return folder_ / "study.yaml"; }
  std::filesystem::path results() const { return folder_ / "results"; }
  std::filesystem::path ledger() const { return folder_ / "ledger"; }

  /// Writes a manifest with one stage, `all`, of these seeds.
  void write_manifest(const std::vector<std::int64_t>& seeds, const std::string& more = "") const;
  /// Writes one with `stages`, YAML that is indented as deep as "stages:" is.
  void write_stages(const std::string& stages, const std::string& more = "") const;

  /// Options of a worker of it, with a lease of a minute.
  StudyRunOptions options() const;

  /// Seeds of trials with this status in the results folder.
  std::vector<std::int64_t> seeds(TrialStatus status) const;
  /// Returns the trial of a seed.
  StudyTrial trial(std::int64_t seed) const;
  /// Makes the records of all done trials say that these took so much, half of the time in their steps.
  void set_costs(double seconds, std::uint64_t memory_bytes = 1 << 30, std::uint64_t disk_bytes = 50 << 20) const;
  /// Returns the number of lines of the ledger that begin so: "begins 3".
  std::size_t noted(const std::string& begin) const;

 private:
  std::filesystem::path folder_;
};

/// Observer that keeps a worker's reports.
class RecordingObserver : public WorkerObserver {
 public:
  void on_note(const std::string& text) override { lines += text + "\n"; }
  void on_warning(const std::string& text) override { lines += "warning: " + text + "\n"; }
  void on_progress(const WorkerProgress& progress) override;

  std::string lines;
  WorkerProgress last;
  std::size_t most_running = 0;
  /// Called at each progress.
  std::function<void()> meanwhile;
};

/// Asks as a test says.
class ScriptedStop : public StopRequests {
 public:
  int count() const override { return asked; }
  int signal() const override { return asked > 0 ? 10 : 0; }

  int asked = 0;
};

/// Names in a folder, sorted; none where it is missing.
std::vector<std::string> sorted_names_in(const std::filesystem::path& folder);

}  // namespace gausscse
