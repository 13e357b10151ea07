#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/worker/identity_check.hpp"
#include "experiments/worker/worker.hpp"

// Choice of the trials that a worker begins.

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds plan_interval{30};

}  // namespace

bool Worker::runs_any() const {
  return std::any_of(slots_.begin(), slots_.end(), [](const SlotUse& place) { return place.attempt != nullptr; });
}

bool Worker::runs(const std::string& identity) const {
  return std::any_of(slots_.begin(), slots_.end(), [&](const SlotUse& place) {
    return place.attempt && place.attempt->trial().identity == identity;
  });
}

/// Returns whether a trial failed since the worker began: its record is another one than before, or was not there.
bool Worker::has_new_failure(const std::string& identity) const {
  const auto before = failed_before_.find(identity), now = state_.failed.find(identity);
  return now != state_.failed.end() && (before == failed_before_.end() || before->second != now->second);
}

/// Returns whether a trial is done, or has failed and is not to be tried again.
bool Worker::is_settled(const std::string& identity) const {
  if (state_.done.contains(identity)) return true;
  return state_.failed.contains(identity) && (!settings_.retry_failed || has_new_failure(identity));
}

Worker::State Worker::state_of(const StudyPlanEntry& trial) const {
  const std::string& identity = trial.planned.identity;
  if (is_settled(identity)) return state_.done.contains(identity) ? State::done : State::failed;
  if (!trial.trial) return State::waiting;
  if (runs(identity)) return State::here;
  const auto claim = claimed_.find(identity);
  return claim == claimed_.end() || claim->second ? State::open : State::held;
}

/// Returns whether no selected trial can be run by anybody. Those that wait may get their settings from trials that are
/// not selected, as long as another worker has one of these.
bool Worker::is_finished() const {
  bool some_wait = false, some_are_claimed = false;
  for (const StudyPlanEntry& trial : planner_.trials()) {
    const State state = state_of(trial);
    const bool is_selected = settings_.selection.has(trial.planned);
    if (state == State::done || state == State::failed) continue;
    if (is_selected && state != State::waiting) return false;
    some_wait |= is_selected;
    some_are_claimed |= claimed_.contains(trial.planned.identity);
  }
  return !(some_wait && some_are_claimed);
}

void Worker::refresh() {
  next_look_ = now_() + std::chrono::duration_cast<TimePoint::duration>(look_interval_);
  claimed_ = claims_.look();
  look_at_study(settings_.attempts.results, state_, host_);
  for (const auto& [identity, dead] : claimed_)
    if (dead && is_settled(identity)) clear_up(identity);
  for (const StudyPlanEntry& entry : planner_.trials()) {
    const std::string& identity = entry.planned.identity;
    if (const auto done = state_.done.find(identity); done != state_.done.end()) queue_.learn(entry, done->second);
    if (settings_.fail_fast && has_new_failure(identity) && settings_.selection.has(entry.planned))
      drain(Drain::stop, "a trial failed, and --fail-fast is given");
  }
}

/// Clears up after a holder that died behind its last important act, the commit or the record of the failure.
void Worker::clear_up(const std::string& identity) {
  const std::unique_ptr<Claim> claim = claims_.acquire(identity);
  if (!claim) return;
  if (state_.done.count(identity) > 0)
    remove_leftovers(settings_.attempts.results, identity, claim->generation(), host_);
  claim->release();
}

/// Returns the failed trials that are to be tried again.
std::set<std::string> Worker::retried_trials() const {
  std::set<std::string> retried;
  for (const auto& [identity, record] : state_.failed)
    if (!is_settled(identity)) retried.insert(identity);
  return retried;
}

void Worker::plan() {
  const std::set<std::string> retried = retried_trials();
  settled_at_plan_ = state_.done.size() + state_.failed.size() - retried.size();
  last_plan_ = now_();
  planner_.plan(retried);
}

/// Plans again if it is time, or nothing else can be begun: planning takes long where there are many trials.
void Worker::plan_again_if_due() {
  const std::vector<StudyPlanEntry>& trials = planner_.trials();
  const bool some_wait = std::any_of(trials.begin(), trials.end(), [](const auto& entry) { return !entry.trial; });
  const std::size_t settled = state_.done.size() + state_.failed.size() - retried_trials().size();
  if (!some_wait || settled == settled_at_plan_) return;
  const auto may_begin = [&](const StudyPlanEntry& trial) {
    return state_of(trial) == State::open && settings_.selection.has(trial.planned);
  };
  if (now_() - last_plan_ < plan_interval && std::any_of(trials.begin(), trials.end(), may_begin)) return;
  plan();
  planner_.write();
}

void Worker::begin_trials() {
  for (const bool ended_by_machine : {false, true})
    if (drain_ == Drain::no) begin_trials_of(ended_by_machine);
}

/// Begins trials: those that a failure of a machine ended before, or the others.
void Worker::begin_trials_of(bool ended_by_machine) {
  auto place = slots_.begin();
  for (const std::size_t position : queue_.order(planner_.trials())) {
    place = std::find_if(place, slots_.end(), [](const SlotUse& other) { return !other.attempt; });
    if (place == slots_.end() || drain_ != Drain::no) return;
    const StudyPlanEntry& trial = planner_.trials()[position];
    if (state_of(trial) != State::open || !settings_.selection.has(trial.planned) ||
        met_machine_failure_.contains(trial.planned.identity) != ended_by_machine)
      continue;
    if (settings_.max_trials > 0 && begun_ >= settings_.max_trials) {
      drain(Drain::finish, concat("--max-trials ", settings_.max_trials, " is reached"));
      return;
    }
    if (const auto changed = changed_input(trial)) {
      study_changed_ = true;
      drain(Drain::finish, concat(*changed, "; start `gausscse run` again to go on with the files as they are"));
      return;
    }
    place->attempt = try_to_begin(trial, place->slot);
    if (!place->attempt) continue;
    ++begun_;
    observer_.on_note(concat(title_of(trial.planned), " begins"));
    if (!place->attempt->note().empty())
      observer_.on_note(concat(title_of(trial.planned), ": ", place->attempt->note()));
  }
}

std::unique_ptr<TrialAttempt> Worker::try_to_begin(const StudyPlanEntry& trial, const TrialSlot& slot) {
  const fs::path& results = settings_.attempts.results;
  const std::string& identity = trial.planned.identity;
  const std::shared_ptr<Claim> claim = claims_.acquire(identity);
  claimed_[identity] = false;
  if (!claim) return nullptr;
  renewal_.add(claim);
  try {
    fs::path folder = take_over_folder(results, identity, claim->generation(), host_);
    if (folder.empty()) {
      claim->withdraw();
      return nullptr;
    }
    // Meanwhile another one may have been done with it.
    const StudyState there = look_at_trial(results, identity, host_);
    if (there.done.empty() && !there.damaged.empty() && claim->is_still_mine())
      observer_.on_warning(concat(
          "the result of ", title_of(trial.planned), " is damaged (", there.damaged.begin()->second, "): it is now in ",
          set_aside(results, identity, claim->generation(), host_).string(), ", and the trial is run again"));
    state_.failed.erase(identity);
    state_.failed.insert(there.failed.begin(), there.failed.end());
    state_.done.insert(there.done.begin(), there.done.end());
    if (is_settled(identity)) {
      if (state_.done.count(identity) > 0)
        remove_leftovers(results, identity, claim->generation(), host_);
      else
        host_.remove(folder);  // empty where nothing was left to take over
      claim->release();
      return nullptr;
    }
    if (!there.failed.empty() && claim->is_still_mine()) host_.remove(study_layout::failure_file(results, identity));
    return std::make_unique<TrialAttempt>(settings_.attempts, trial, slot, claim, std::move(folder), now_, host_);
  } catch (const std::exception&) {
    // A worker that slept here, and whose folder was taken over, finds its paths gone.
    if (!claim->is_still_mine()) return nullptr;
    claim->release();
    throw;
  }
}

}  // namespace gausscse
