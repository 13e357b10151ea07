#include "experiments/grid/trial_attempt.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_descriptor.hpp"
#include "base/folder_mark.hpp"
#include "base/host_name.hpp"
#include "experiments/grid/study_folder.hpp"
#include "experiments/grid/trial_outcome.hpp"
#include "experiments/grid/unfinished_folder.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Of `gausscse train`, see OutputFolder.
constexpr const char* lock_of_train = ".gausscse.lock";

/// Paths of a trial are absolute, save the folder that it is in.
std::string trial_text(Trial trial) {
  trial.output = ".";
  return to_yaml(trial);
}

}  // namespace

TrialAttempt::TrialAttempt(const AttemptSettings& settings, const StudyPlanEntry& trial, const TrialSlot& slot,
                           std::shared_ptr<Claim> claim, fs::path folder, SteadyNow now)
    : settings_(settings),
      trial_(trial),
      slot_(slot),
      claim_(std::move(claim)),
      folder_(std::move(folder)),
      now_(std::move(now)),
      attempts_(read_attempts(folder_)),
      seconds_before_(attempts_.seconds) {
  if (is_known_to_run(attempts_.process)) ::kill(-static_cast<pid_t>(attempts_.process.number), SIGKILL);
}

double TrialAttempt::seconds() const {
  return child_ ? std::chrono::duration<double>(now_() - started_).count() : 0;
}

/// Whether a program that trains holds the folder's lock.
bool TrialAttempt::folder_is_in_use() const {
  const FileDescriptor lock(::open((folder_ / lock_of_train).c_str(), O_RDWR | O_CLOEXEC));
  return lock.get() >= 0 && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void TrialAttempt::start() {
  write_file_atomically(folder_ / study_layout::trial_file, trial_text(*trial_.trial));
  std::error_code no_log_yet;
  const std::uintmax_t logged = fs::file_size(folder_ / study_layout::log, no_log_yet);
  log_begin_ = no_log_yet ? 0 : logged;
  started_ = noted_ = now_();
  try {
    child_ = std::make_unique<ChildProcess>(train_command(settings_.resources, slot_, settings_.program, folder_));
  } catch (const WriteError&) {
    throw;
  } catch (const SystemError& error) {
    throw InputError(concat("no trial can be started: ", error.what()));
  }
  attempts_.generation = claim_->generation();
  attempts_.worker = claim_->worker();
  ++attempts_.started;
  const std::string host = host_name();
  if (std::find(attempts_.hosts.begin(), attempts_.hosts.end(), host) == attempts_.hosts.end())
    attempts_.hosts.push_back(host);
  attempts_.process = identity_of_process(child_->id());
  write_attempts(folder_, attempts_);
}

void TrialAttempt::note_seconds() {
  attempts_.seconds = seconds_before_ + seconds();
  noted_ = now_();
  write_attempts(folder_, attempts_);
}

std::optional<AttemptEnd> TrialAttempt::poll() {
  try {
    const std::optional<AttemptEnd> end = advance();
    if (end && *end != AttemptEnd::lost) claim_->release();
    return end;
  } catch (const std::exception&) {
    child_.reset();
    // Whose folder was taken over finds its paths gone.
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
    if (folder_is_in_use()) return std::nullopt;
    if (!claim_->is_still_mine()) return AttemptEnd::lost;
    start();
  }
  const std::optional<ChildEnd> end = child_->poll();
  if (end) return finish(*end);
  // What a dead worker's trial took is known to half a lease, or half a minute.
  const std::chrono::duration<double> since_note = now_() - noted_;
  if (since_note.count() > std::max(30.0, settings_.lease / 2) && claim_->is_still_mine()) note_seconds();
  return std::nullopt;
}

AttemptEnd TrialAttempt::finish(const ChildEnd& end) {
  if (!claim_->is_still_mine()) return AttemptEnd::lost;
  note_seconds();
  if (end.succeeded()) return commit(end);
  if (asked_to_stop_) return AttemptEnd::interrupted;
  return fail(to_text(end));
}

AttemptEnd TrialAttempt::commit(const ChildEnd& end) {
  // One to which somebody has added files stays.
  if (!settings_.keep_models) remove_whole_folder(folder_ / study_layout::model);
  try {
    const RunRecord run = run_record_of(folder_, *trial_.trial, attempts_, end.peak_memory_bytes);
    write_run_record(folder_ / study_layout::run_record, run);
  } catch (const InputError& error) {
    return fail(concat("its program said that it was done and left no usable result: ", error.what()));
  }
  switch (commit_folder(settings_.results, claim_->identity(), claim_->generation(), claim_->worker())) {
    case Commit::done:
      remove_leftovers(settings_.results, claim_->identity(), claim_->generation());
      return AttemptEnd::committed;
    case Commit::there_was_one:
      if (!look_at_trial(settings_.results, claim_->identity()).done.empty())
        remove_leftovers(settings_.results, claim_->identity(), claim_->generation());
      return AttemptEnd::done_before;
    case Commit::too_late:
      break;
  }
  return AttemptEnd::lost;
}

AttemptEnd TrialAttempt::fail(const std::string& reason) {
  const FailureRecord failure = failure_record_of(folder_, reason, attempts_, log_begin_);
  // What was found wrong may be that the folder is another one's by now.
  if (!claim_->is_still_mine()) return AttemptEnd::lost;
  problem_ = failure.error.empty() ? reason : concat(reason, ": ", failure.error);
  write_failure_record(study_layout::failure_file(settings_.results, claim_->identity()), failure);
  return AttemptEnd::failed;
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
