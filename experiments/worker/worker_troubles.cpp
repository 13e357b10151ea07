#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/claims/attempts.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/status/study_progress.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/worker/worker.hpp"
#include "results/training_reports.hpp"

// Troubles that keep a worker from its work: failures of its machine, and trials that others hold.

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Time after which a worker that waits reports for whom, and the factor by which it grows each time.
constexpr std::chrono::seconds first_report{5};
constexpr int growth = 2;
constexpr std::size_t most_reported = 3;

}  // namespace

/// Others are begun first: the failed trial may fail again until somebody has seen to it.
void Worker::count_machine_failure(const TrialAttempt& attempt) {
  met_machine_failure_.insert(attempt.trial().identity);
  observer_.on_warning(concat(title_of(attempt.trial()), " was ended by this machine after ",
                              readable_duration(attempt.seconds()), ": ", attempt.problem(),
                              "; it is not counted as failed and ", how_it_goes_on(attempt.folder(), host_)));
  if (++machine_failures_ != settings_.machine_failures) return;
  ended_by_machine_ = true;
  drain(Drain::finish,
        concat("the machine ", host_.host(), " failed ", machine_failures_,
               " times in a row, and no trial was done in between: check its disk, memory and libraries (",
               (attempt.folder() / study_layout::log).string(), " has the last log), and start `gausscse run` again"));
}

void Worker::look_for_machine_failures() {
  const fs::path unfinished = settings_.attempts.results / study_layout::unfinished;
  for (const auto& [identity, generations] : generations_in(unfinished, host_)) {
    const fs::path folder = unfinished / study_layout::generation_name(identity, *generations.rbegin());
    if (read_attempts(folder, host_).machine_failures > 0) met_machine_failure_.insert(identity);
  }
}

/// Warns of trials that have lost their checkpoints: work since then is lost where such a trial does not come to its
/// end.
void Worker::look_for_lost_checkpoints() {
  for (const SlotUse& place : slots_) {
    if (!place.attempt) continue;
    const auto progress = read_progress(place.attempt->folder() / study_layout::progress);
    const std::string& identity = place.attempt->trial().identity;
    if (!progress || progress->checkpoint_problem.empty() == !without_checkpoints_.contains(identity)) continue;
    const std::string title = title_of(place.attempt->trial());
    if (without_checkpoints_.erase(identity) > 0) {
      observer_.on_note(concat(title, " writes checkpoints again"));
    } else {
      without_checkpoints_.insert(identity);
      observer_.on_warning(concat(title, " ", lost_checkpoints_text(*progress)));
    }
  }
}

void Worker::report_waiting() {
  if (runs_any()) {
    waits_since_.reset();
    return;
  }
  if (!waits_since_) {
    waits_since_ = now_();
    next_report_ = first_report;
  }
  if (now_() - *waits_since_ < next_report_) return;
  next_report_ *= growth;
  std::set<std::string> reported;
  for (const StudyPlanEntry& entry : planner_.trials()) {
    const std::string& identity = entry.planned.identity;
    const State state = state_of(entry);
    if (reported.size() == most_reported || (state != State::open && state != State::held) ||
        !claimed_.contains(identity) || !reported.insert(identity).second)
      continue;
    observer_.on_note(
        concat("no trial to start: ", title_of(entry.planned), " is held by ", claims_.holder_of(identity)));
  }
}

}  // namespace gausscse
