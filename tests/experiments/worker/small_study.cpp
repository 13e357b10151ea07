#include "tests/experiments/worker/small_study.hpp"

#include "experiments/study/study_layout.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace fs = std::filesystem;

SmallStudy::SmallStudy(const fs::path& folder) : folder_(folder) {
  fs::create_directories(folder / "model");
  write_bytes(folder / "model" / "config.json", "{}\n");
  write_bytes(folder / "train.jsonl", "{}\n");
  write_bytes(folder / "dev.jsonl", "{}\n");
  ::setenv(fake_train_ledger, ledger().c_str(), 1);
  // Locks on cores are this study's own: other tests run next to it.
  fs::create_directories(folder / "runtime");
  ::setenv("XDG_RUNTIME_DIR", (folder / "runtime").c_str(), 1);
  ::setenv("GAUSSCSE_CACHE", (folder / "cache").c_str(), 1);
  ::unsetenv(fake_train_milliseconds);
}

void SmallStudy::write_stages(const std::string& stages, const std::string& more) const {
  write_bytes(manifest(),
              "format: gausscse-manifest/1\n"
              "name: small\n"
              "defaults:\n"
              "  model: {backbone: {path: model}}\n"
              "  data: {train: [train.jsonl]}\n"
              "  training: {batch_size: 16}\n"
              "  tasks: {dev: {kind: nli, files: dev.jsonl}}\n" +
                  more + "stages:\n" + stages);
}

void SmallStudy::write_manifest(const std::vector<std::int64_t>& seeds, const std::string& more) const {
  std::string list;
  for (const std::int64_t seed : seeds) list += concat(list.empty() ? "" : ", ", seed);
  write_stages("  all: {grid: {training.batch_size: [16]}, seeds: [" + list + "]}\n", more);
}

StudyRunOptions SmallStudy::options() const {
  return {.manifest = manifest(), .results = results(), .lease = 60, .train_program = GAUSSCSE_FAKE_TRAIN};
}

std::vector<std::int64_t> SmallStudy::seeds(TrialStatus status) const {
  std::vector<std::int64_t> found;
  for (const StudyTrial& trial : read_study(results()).trials)
    if (trial.status == status) found.push_back(trial.planned.seed);
  return found;
}

StudyTrial SmallStudy::trial(std::int64_t seed) const {
  for (StudyTrial& trial : read_study(results()).trials)
    if (trial.planned.seed == seed) return trial;
  throw std::runtime_error(concat("no trial has the seed ", seed));
}

void SmallStudy::set_costs(double seconds, std::uint64_t memory_bytes, std::uint64_t disk_bytes) const {
  for (const StudyTrial& trial : read_study(results()).trials) {
    if (trial.status != TrialStatus::done) continue;
    RunRecord run = *trial.run;
    run.seconds = seconds;
    run.step_seconds = seconds / 2;
    run.peak_memory_bytes = memory_bytes;
    run.disk_bytes = disk_bytes;
    write_run_record(trial.folder / study_layout::run_record, run);
  }
}

std::size_t SmallStudy::noted(const std::string& begin) const {
  std::ifstream file(ledger());
  std::size_t count = 0;
  for (std::string line; std::getline(file, line);) count += line.starts_with(begin + " ");
  return count;
}

void RecordingObserver::on_progress(const WorkerProgress& progress) {
  last = progress;
  most_running = std::max(most_running, progress.running.size());
  if (meanwhile) meanwhile();
}

std::vector<std::string> sorted_names_in(const fs::path& folder) {
  std::vector<std::string> found;
  if (!fs::exists(folder)) return found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) found.push_back(entry.path().filename());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace gausscse
