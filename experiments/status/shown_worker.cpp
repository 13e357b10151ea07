#include "experiments/status/shown_worker.hpp"

#include <vector>

#include "experiments/study/study_layout.hpp"

namespace gausscse {

void ShownWorker::on_note(const std::string& text) {
  progress_.write_past([&] { note_(text); });
}

void ShownWorker::on_warning(const std::string& text) {
  progress_.write_past([&] { warn_(text); });
}

void ShownWorker::on_progress(const WorkerProgress& progress) {
  if (!progress_.due()) return;
  std::vector<RunningTrial> running;
  for (const WorkerProgress::Running& trial : progress.running)
    running.push_back({trial.title, trial.seconds, read_progress(trial.folder / study_layout::progress)});
  StudyCounts counts;
  counts.done = progress.done;
  counts.failed = progress.failed;
  counts.running = progress.here;
  counts.elsewhere = progress.elsewhere;
  const std::size_t begun = counts.done + counts.failed + counts.running + counts.elsewhere;
  counts.left = progress.trials > begun ? progress.trials - begun : 0;
  counts.seconds_left = progress.seconds_left;
  progress_.show(running, counts);
}

}  // namespace gausscse
