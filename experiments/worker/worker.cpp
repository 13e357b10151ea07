#include "experiments/worker/worker.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "experiments/worker/gpu_sharing.hpp"
#include "experiments/worker/identity_check.hpp"
#include "experiments/worker/study_folder.hpp"

namespace gausscse {

namespace {

/// Returns the time between looks at claims. A claim is renewed six times a lease: a worker sees every renewal.
std::chrono::duration<double> look_interval_of(double lease) {
  return std::chrono::duration<double>(std::clamp(lease / 20, 0.02, 5.0));
}

}  // namespace

Worker::Worker(WorkerSettings settings, StudyPlanner& planner, const StopRequests& stop, WorkerObserver& observer,
               SteadyNow now, const Host& host)
    : settings_(std::move(settings)),
      planner_(planner),
      stop_(stop),
      observer_(observer),
      now_(std::move(now)),
      host_(host),
      claims_(settings_.attempts.results, settings_.attempts.lease, now_, identity_of_process(host_.process(), host_),
              host_),
      renewal_(settings_.attempts.lease, host_),
      manifest_(settings_.manifest_file, planner.manifest_text(), settings_.attempts.results),
      queue_(settings_.attempts.resources),
      next_look_(now_()),
      last_plan_(now_()),
      look_interval_(look_interval_of(settings_.attempts.lease)) {
  for (TrialSlot& slot : settings_.slots) slots_.push_back({std::move(slot), nullptr});
}

int Worker::run() {
  look_at_study(settings_.attempts.results, state_, host_);
  failed_before_ = state_.failed;
  for (const std::string& doubt : doubts_about(settings_.attempts.results, state_.doubts.texts()))
    observer_.on_warning(doubt);
  plan();
  for (const std::string& warning : results_of_other_contents(settings_.attempts.results, planner_.trials()))
    observer_.on_warning(warning);
  settings_.selection.check(planner_.trials());
  warn_of_missing_inputs();
  warn_of_packing();
  make_study_folders(settings_.attempts.results, host_);
  planner_.write();
  remove_leftovers_of_workers(settings_.attempts.results, state_, host_);
  look_for_machine_failures();
  while (true) {
    try {
      follow_stop_requests();
      poll_attempts();
      if (!error_ && now_() >= next_look_) {
        refresh();
        look_for_lost_checkpoints();
        if (drain_ == Drain::no) stop_if_manifest_changed();
        if (drain_ == Drain::no) plan_again_if_due();
        if (drain_ == Drain::no) begin_trials();
        if (drain_ == Drain::no && !runs_any() && is_finished()) break;
        if (drain_ == Drain::no) report_waiting();
      }
    } catch (const std::exception&) {
      keep_error(std::current_exception());
    }
    report_progress();
    if (drain_ != Drain::no && !runs_any()) break;
    host_.sleep(std::chrono::milliseconds(settings_.pause_milliseconds));
  }
  if (error_) std::rethrow_exception(error_);
  return report_result();
}

void Worker::warn_of_missing_inputs() {
  std::map<std::pair<std::string, std::string>, std::size_t> waiting;
  for (const StudyPlanEntry& entry : planner_.trials())
    if (!entry.missing_input.empty() && settings_.selection.has(entry.planned))
      ++waiting[{entry.missing_input.string(), entry.missing_advice}];
  for (const auto& [missing, trials] : waiting)
    observer_.on_warning(concat(missing.first, " is missing: ", trials,
                                trials == 1 ? " trial that reads it waits" : " trials that read it wait",
                                missing.second));
}

void Worker::warn_of_packing() {
  for (const StudyPlanEntry& entry : planner_.trials())
    if (const auto done = state_.done.find(entry.planned.identity); done != state_.done.end())
      queue_.learn(entry, done->second);
  double share = 0;
  for (const StudyPlanEntry& entry : planner_.trials()) {
    if (!entry.trial || is_settled(entry.planned.identity) || !settings_.selection.has(entry.planned)) continue;
    if (const auto cost = queue_.costs().expected(*entry.trial)) share = std::max(share, cost->gpu_memory_share);
  }
  const std::string warning = packing_warning(settings_.attempts.resources, share);
  if (!warning.empty()) observer_.on_warning(warning);
}

/// Stops beginning trials.
void Worker::drain(Drain how, const std::string& why) {
  if (drain_ >= how) return;
  drain_ = how;
  observer_.on_warning(concat(why, how == Drain::stop ? ": running trials write a checkpoint and end"
                                                      : ": running trials are finished, no other trial is started"));
  if (how != Drain::stop) return;
  for (const SlotUse& place : slots_)
    if (place.attempt) place.attempt->ask_to_stop();
}

void Worker::follow_stop_requests() {
  const int asked = stop_.count();
  if (asked == stops_followed_) return;
  stops_followed_ = asked;
  drain(Drain::stop, concat("signal ", stop_.signal()));
  if (asked < 2) return;
  observer_.on_warning("asked to stop once more: trials end at once, and go on from their last checkpoints later");
  for (const SlotUse& place : slots_)
    if (place.attempt) place.attempt->kill();
}

void Worker::stop_if_manifest_changed() {
  const auto change = manifest_.change();
  if (!change) return;
  study_changed_ = true;
  drain(Drain::finish, concat(*change, "; start `gausscse run` again to go on with the new one"));
}

/// Keeps the first error, which is reported when all trials have ended.
void Worker::keep_error(const std::exception_ptr& error) {
  if (!error_) error_ = error;
  if (runs_any()) drain(Drain::stop, "an error ends this worker");
  drain_ = Drain::stop;
}

void Worker::poll_attempts() {
  for (SlotUse& place : slots_) {
    if (!place.attempt) continue;
    try {
      const std::optional<AttemptEnd> end = place.attempt->poll();
      if (!end) continue;
      const std::unique_ptr<TrialAttempt> ended = std::move(place.attempt);
      next_look_ = now_();
      report_end(*ended, *end);
    } catch (const std::exception&) {
      place.attempt.reset();
      keep_error(std::current_exception());
    }
  }
}

}  // namespace gausscse
