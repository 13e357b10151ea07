#include "experiments/worker/trial_attempt.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "base/folder_mark.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "experiments/claims/attempts.hpp"
#include "experiments/claims/unfinished_folder.hpp"
#include "experiments/processes/child_process.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/worker/study_folder.hpp"
#include "results/training_reports.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Time that a killed program is waited for, such as one that the kernel cannot end while its file server is away.
constexpr std::chrono::seconds longest_wait{30};

/// Paths of a trial are absolute, save the folder that it is in.
std::string trial_text(Trial trial) {
  trial.output = ".";
  return to_yaml(trial);
}

/// Returns size and time of a file, as far as it is there.
std::string state_of(const fs::path& file, const World& world) {
  struct stat status {};
  if (world.status(file, status) != 0) return "none";
  return concat(status.st_size, " ", status.st_mtim.tv_sec, ".", status.st_mtim.tv_nsec);
}

/// Flushes the log. A log that somebody removed, or put something else in the place of, is passed over.
void sync_log(const fs::path& log, const World& world) {
  const FileDescriptor file(world.open(log, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  if (file.get() >= 0) file_calls::sync(world, file, log);
}

}  // namespace

TrialAttempt::TrialAttempt(const AttemptSettings& settings, const StudyPlanEntry& trial, const TrialSlot& slot,
                           std::shared_ptr<Claim> claim, fs::path folder, SteadyNow now, const Host& host)
    : settings_(settings),
      host_(host),
      trial_(trial),
      slot_(slot),
      claim_(std::move(claim)),
      folder_(std::move(folder)),
      now_(std::move(now)),
      attempts_(read_attempts(folder_, host_)),
      seconds_before_(attempts_.seconds),
      taken_(now_()) {
  if (!kill_left_training(attempts_.process, left_folders(settings.results, claim_->identity(), host_), host_)) return;
  killed_ = attempts_.process;
  note_ = concat("process ", killed_.number, ", left by a worker that has ended, was killed");
}

double TrialAttempt::seconds() const {
  return child_ ? std::chrono::duration<double>(now_() - started_).count() : 0;
}

bool TrialAttempt::waits_for_the_killed() const {
  return is_known_to_run(killed_, host_) && now_() - taken_ < longest_wait;
}

/// Kills a program of which nothing is seen for long: a rank that waits for a host that is gone, say.
void TrialAttempt::look_for_signs() {
  const auto now = now_();
  // A worker that was stopped itself, with all of its job, has seen nothing.
  if (std::chrono::duration<double>(now - last_look_).count() > settings_.silence / 2) last_sign_ = now;
  last_look_ = now;
  const std::string progress = state_of(folder_ / study_layout::progress, host_);
  std::string signs = concat(state_of(folder_ / study_layout::log, host_), "; ", progress);
  // Nothing of the training runs yet.
  const bool may_wait_for_srun = settings_.resources.launcher == setting::Launcher::srun && progress == first_progress_;
  const double silence = may_wait_for_srun ? std::max(settings_.silence, longest_wait_of_srun) : settings_.silence;
  if (signs != last_signs_) {
    last_signs_ = std::move(signs);
    last_sign_ = now;
  } else if (std::chrono::duration<double>(now - last_sign_).count() > silence && !silence_) {
    silence_ = silence;
    child_->send_to_group(SIGKILL);
  }
}

void TrialAttempt::start() {
  write_file_atomically(host_, folder_ / study_layout::trial_file, trial_text(*trial_.trial));
  struct stat log {};
  log_begin_ = host_.status(folder_ / study_layout::log, log) == 0 ? static_cast<std::uint64_t>(log.st_size) : 0;
  host_.remove(folder_ / study_layout::error);  // of an earlier attempt
  first_progress_ = state_of(folder_ / study_layout::progress, host_);
  started_ = noted_ = last_sign_ = last_look_ = now_();
  try {
    child_ = host_.start(train_command(settings_.resources, slot_, settings_.program, folder_));
  } catch (const WriteError&) {
    throw;
  } catch (const SystemError& error) {
    throw InputError(concat("no trial can be started: ", error.what()));
  }
  attempts_.generation = claim_->generation();
  attempts_.worker = claim_->worker();
  ++attempts_.started;
  const std::string host = host_.host();
  if (!is_among(attempts_.hosts, host)) attempts_.hosts.push_back(host);
  attempts_.process = identity_of_process(child_->id(), host_);
  attempts_.earlier_seconds = seconds_before_;
  write_attempts(folder_, attempts_, host_);
}

void TrialAttempt::note_seconds() {
  attempts_.seconds = seconds_before_ + seconds();
  noted_ = now_();
  write_attempts(folder_, attempts_, host_);
}

std::optional<AttemptEnd> TrialAttempt::poll() {
  try {
    const std::optional<AttemptEnd> end = advance();
    if (end && *end != AttemptEnd::lost) claim_->release();
    return end;
  } catch (const std::exception&) {
    child_.reset();
    // A worker whose folder was taken over finds its paths gone.
    if (!claim_->is_still_mine()) return AttemptEnd::lost;
    claim_->release();
    throw;
  }
}

std::optional<AttemptEnd> TrialAttempt::advance() {
  if (claim_->lost()) {
    child_.reset();
    return AttemptEnd::lost;
  }
  if (!child_) {
    if (asked_to_stop_) return AttemptEnd::interrupted;
    if (waits_for_the_killed()) return std::nullopt;
    if (!claim_->is_still_mine()) return AttemptEnd::lost;
    start();
  }
  const std::optional<ChildEnd> end = child_->poll();
  if (end) return finish(*end);
  look_for_signs();
  // The time of a dead worker's trial is known to half a lease, or half a minute.
  const std::chrono::duration<double> since_note = now_() - noted_;
  if (since_note.count() > std::max(30.0, settings_.lease / 2) && claim_->is_still_mine()) note_seconds();
  return std::nullopt;
}

AttemptEnd TrialAttempt::finish(const ChildEnd& end) {
  if (!claim_->is_still_mine()) return AttemptEnd::lost;
  const std::optional<ErrorReport> report = read_error_report(folder_ / study_layout::error);
  const bool has_begun = read_progress(folder_ / study_layout::progress).has_value();
  const bool is_of_machine =
      !end.succeeded() && !asked_to_stop_ && class_of_failure(end, report, has_begun) == FailureClass::machine;
  attempts_.process = {};
  attempts_.machine_failures = is_of_machine ? attempts_.machine_failures + 1 : 0;
  note_seconds();
  if (end.succeeded()) return commit(end);
  if (asked_to_stop_) return AttemptEnd::interrupted;
  if (!is_of_machine) return fail(to_text(end), AttemptEnd::failed);
  return fail(silence_ ? concat("it was silent for ", readable_duration(*silence_),
                                " (neither its log nor its progress changed) and was killed")
                       : to_text(end),
              AttemptEnd::machine_failed);
}

AttemptEnd TrialAttempt::commit(const ChildEnd& end) {
  // One to which somebody has added files stays.
  if (!settings_.keep_models) remove_whole_folder(folder_ / study_layout::model);
  // Before its record, which says that all is there.
  sync_log(folder_ / study_layout::log, host_);
  try {
    const RunRecord run = settings_.record(folder_, trial_, attempts_, end.peak_memory_bytes);
    write_run_record(folder_ / study_layout::run_record, run, host_);
  } catch (const InputError& error) {
    const AttemptEnd failed =
        fail(concat("its program reported success and left no usable result: ", error.what()), AttemptEnd::failed);
    // A program that is started there again would take it for done, or refuse to replace it.
    struct stat result {};
    if (failed == AttemptEnd::failed && host_.status(folder_ / study_layout::result, result) == 0)
      set_unfinished_aside(settings_.results, claim_->identity(), claim_->generation(), host_);
    return failed;
  }
  switch (commit_folder(settings_.results, claim_->identity(), claim_->generation(), claim_->worker(), host_)) {
    case Commit::done:
      remove_leftovers(settings_.results, claim_->identity(), claim_->generation(), host_);
      return AttemptEnd::committed;
    case Commit::there_was_one:
      if (!look_at_trial(settings_.results, claim_->identity(), host_).done.empty())
        remove_leftovers(settings_.results, claim_->identity(), claim_->generation(), host_);
      return AttemptEnd::done_before;
    case Commit::too_late:
      break;
  }
  return AttemptEnd::lost;
}

/// Ends the attempt as failed, with a record, or as failed by the machine.
AttemptEnd TrialAttempt::fail(const std::string& reason, AttemptEnd end) {
  const FailureRecord failure = failure_record_of(folder_, reason, attempts_, log_begin_);
  // A problem may have come up because the folder belongs to another worker by now.
  if (!(end == AttemptEnd::failed ? claim_->is_surely_mine() : claim_->is_still_mine())) return AttemptEnd::lost;
  problem_ = failure.error.empty() ? reason : concat(reason, ": ", failure.error);
  if (end == AttemptEnd::failed)
    write_failure_record(study_layout::failure_file(settings_.results, claim_->identity()), failure, host_);
  return end;
}

void TrialAttempt::ask_to_stop() {
  asked_to_stop_ = true;
  if (child_) child_->send(SIGUSR2);
}

void TrialAttempt::kill() {
  asked_to_stop_ = true;
  if (child_) child_->send_to_group(SIGKILL);
}

}  // namespace gausscse
