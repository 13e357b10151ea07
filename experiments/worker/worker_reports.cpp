#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/worker/worker.hpp"

namespace gausscse {

namespace fs = std::filesystem;

/// Returns "dev.auprc 0.8125" of the state that a done trial kept, and whether that is the untrained one; empty where
/// neither is to be said.
std::string Worker::metric_text(const TrialAttempt& attempt) const {
  const fs::path& results = settings_.attempts.results;
  const Trial::Select& select = attempt.settings().select;
  std::vector<std::string> parts;
  if (!select.task.empty()) {
    const std::string name = concat(select.task, ".", select.metric);
    const auto metric = earlier_trials_in(results).metric(attempt.trial(), name);
    if (metric && std::isfinite(*metric)) parts.push_back(concat(name, " ", std::round(*metric * 1e4) / 1e4));
  }
  const StudyState found = look_at_trial(results, attempt.trial().identity, host_);
  if (!found.untrained.empty()) parts.emplace_back("of the untrained state: no step gave a better one");
  for (const auto& [identity, run] : found.done)
    if (!run.ended_early.empty()) parts.push_back("ended early " + run.ended_early);
  return joined(parts);
}

void Worker::report_end(const TrialAttempt& attempt, AttemptEnd end) {
  const std::string title = title_of(attempt.trial());
  switch (end) {
    case AttemptEnd::committed: {
      machine_failures_ = 0;
      const std::string metric = metric_text(attempt);
      observer_.on_note(
          concat(title, " is done after ", readable_duration(attempt.seconds()), metric.empty() ? "" : ": ", metric));
      break;
    }
    case AttemptEnd::done_before:
      observer_.on_note(concat(title, " was also done by another worker, which finished first"));
      break;
    case AttemptEnd::failed:
      observer_.on_warning(
          concat(title, " has failed after ", readable_duration(attempt.seconds()), ": ", attempt.problem()));
      if (settings_.fail_fast) drain(Drain::stop, "a trial failed, and --fail-fast is given");
      break;
    case AttemptEnd::machine_failed:
      count_machine_failure(attempt);
      break;
    case AttemptEnd::interrupted:
      observer_.on_note(concat(title, " is interrupted and ", how_it_goes_on(attempt.folder(), host_)));
      break;
    case AttemptEnd::lost:
      observer_.on_warning(concat(title, " was taken over by another worker, which saw no renewed claim of this one"));
      break;
  }
}

void Worker::report_progress() {
  WorkerProgress progress;
  double seconds_left = 0;
  for (const SlotUse& place : slots_)
    if (place.attempt) {
      progress.running.push_back({title_of(place.attempt->trial()), place.attempt->folder(), place.attempt->seconds()});
      seconds_left -= place.attempt->seconds();
    }
  std::size_t side_by_side = progress.running.size();
  std::set<std::string> counted;
  const std::vector<StudyPlanEntry>& trials = planner_.trials();
  const std::vector<double>& expected = queue_.seconds();
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const std::string& identity = trials[i].planned.identity;
    if (!settings_.selection.has(trials[i].planned)) continue;
    const State state = state_of(trials[i]);
    ++progress.trials;
    progress.done += state == State::done;
    progress.failed += state == State::failed;
    progress.here += state == State::here;
    progress.elsewhere += state == State::held;
    if (state == State::done || state == State::failed) continue;
    // A trial of two stages is run once.
    if (!identity.empty() && !counted.insert(identity).second) continue;
    seconds_left += i < expected.size() && trials[i].trial ? expected[i] : std::numeric_limits<double>::infinity();
    side_by_side += state == State::held;
  }
  if (std::isfinite(seconds_left))
    progress.seconds_left = std::max(0.0, seconds_left) / static_cast<double>(std::max<std::size_t>(1, side_by_side));
  observer_.on_progress(progress);
}

int Worker::report_result() {
  refresh();
  remove_leftovers_of_workers(settings_.attempts.results, state_);
  std::size_t trials = 0, done = 0, failed = 0, untrained = 0;
  std::string waits_for;
  for (const StudyPlanEntry& entry : planner_.trials()) {
    if (!settings_.selection.has(entry.planned)) continue;
    const State state = state_of(entry);
    ++trials;
    done += state == State::done;
    failed += state == State::failed;
    untrained += state_.untrained.count(entry.planned.identity);
    if (state == State::waiting && waits_for.empty() && !entry.planned.waits_for.empty())
      waits_for = concat("; ", title_of(entry.planned), " waits for ", entry.planned.waits_for);
  }
  if (untrained > 0)
    observer_.on_warning(concat(untrained, " of ", done,
                                " done trials kept the untrained state, the one before their first step: their metrics "
                                "are not those of a training"));
  const std::string text = concat(done, " of ", trials, " trials are done, ", failed, " failed, ",
                                  trials - done - failed, " are left", waits_for);
  if (done == trials)
    observer_.on_note(text);
  else
    observer_.on_warning(text);
  if (stop_.count() > 0) return signalled_exit + stop_.signal();
  if (ended_by_machine_ && done < trials) return machine_failed;
  return !study_changed_ && done == trials ? all_done : some_not_done;
}

}  // namespace gausscse
