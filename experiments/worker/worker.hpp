#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiments/claims/claim.hpp"
#include "experiments/claims/claims.hpp"
#include "experiments/status/worker_observer.hpp"
#include "experiments/worker/stop_requests.hpp"
#include "experiments/worker/study_folder.hpp"
#include "experiments/worker/study_planner.hpp"
#include "experiments/worker/trial_attempt.hpp"
#include "experiments/worker/trial_costs.hpp"
#include "experiments/worker/trial_selection.hpp"

namespace gausscse {

struct WorkerSettings {
  AttemptSettings attempts;
  std::filesystem::path manifest_file;  ///< file that the worker was started with
  std::vector<TrialSlot> slots;         ///< a trial at a time in each
  TrialSelection selection;
  std::int64_t max_trials = 0;  ///< to be started; 0: any number
  bool fail_fast = false;       ///< the first failure ends the worker
  bool retry_failed = false;    ///< true if trials that had failed before the worker began are tried again, once
  int machine_failures = 3;     ///< in a row, no trial done between them, after which the worker ends
  int pause_milliseconds = 50;  ///< between looks at its children
};

/// Exit codes of a worker.
inline constexpr int all_done = 0, some_not_done = 1, machine_failed = 3, signalled_exit = 128;

/// Worker that runs a study's trials, with any number of other workers on any number of hosts (see `Claims`).
class Worker {
 public:
  /// Prepares a worker. The results folder must be the study's (`check_study_folder`). All that is referred to must
  /// outlive the worker.
  Worker(WorkerSettings settings, StudyPlanner& planner, const StopRequests& stop, WorkerObserver& observer,
         SteadyNow now = std::chrono::steady_clock::now, const Host& host = real_host());

  /// Runs until all selected trials are done or have failed, waiting for those that others hold. Returns the exit code.
  /// It is 0 where all are done, 1 where some failed or are left, and 3 where failures of the machine, one after
  /// another, ended it. After a request to stop it is 128 and the signal. Throws InputError where no trial can be
  /// started, or planning a later stage fails; WriteError and SystemError where the results folder is out of order.
  /// Trials that run then are stopped first.
  int run();

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// State of a trial for this worker.
  enum class State {
    done,
    failed,   ///< and not to be tried again
    waiting,  ///< its settings, or files that it reads, are not there yet
    here,     ///< this worker runs it
    held,     ///< another worker runs it, or held it until lately
    open      ///< it may be begun
  };

  /// Treatment of running trials when a worker begins no others.
  enum class Drain { no, finish, stop };

  struct SlotUse {
    TrialSlot slot;
    std::unique_ptr<TrialAttempt> attempt;
  };

  // worker.cpp
  void drain(Drain how, const std::string& why);
  void warn_of_missing_inputs();
  /// Warns if trials that are left do not fit a GPU together, as far as done trials show it.
  void warn_of_packing();
  void follow_stop_requests();
  void stop_if_manifest_changed();
  void keep_error(const std::exception_ptr& error);
  void poll_attempts();

  // worker_reports.cpp
  std::string metric_text(const TrialAttempt& attempt) const;
  void report_end(const TrialAttempt& attempt, AttemptEnd end);
  void report_progress();
  int report_result();

  // worker_troubles.cpp
  void count_machine_failure(const TrialAttempt& attempt);
  void look_for_machine_failures();
  void report_waiting();
  void look_for_lost_checkpoints();

  // worker_trials.cpp
  void refresh();
  void clear_up(const std::string& identity);
  void plan();
  void plan_again_if_due();
  void begin_trials();
  void begin_trials_of(bool ended_by_machine);
  std::unique_ptr<TrialAttempt> try_to_begin(const StudyPlanEntry& trial, const TrialSlot& slot);
  bool has_new_failure(const std::string& identity) const;
  bool is_settled(const std::string& identity) const;
  std::set<std::string> retried_trials() const;
  State state_of(const StudyPlanEntry& trial) const;
  bool is_finished() const;
  bool runs(const std::string& identity) const;
  bool runs_any() const;

  WorkerSettings settings_;
  StudyPlanner& planner_;
  const StopRequests& stop_;
  WorkerObserver& observer_;
  SteadyNow now_;
  const Host& host_;
  Claims claims_;
  ClaimRenewal renewal_;
  ManifestWatch manifest_;
  TrialQueue queue_;
  StudyState state_;
  std::map<std::string, bool> claimed_;               ///< by identity: whether its holder is dead
  std::map<std::string, std::string> failed_before_;  ///< the worker began: identity and record
  std::size_t settled_at_plan_ = 0;
  std::set<std::string> met_machine_failure_;  ///< identities, each begun again behind all others
  int machine_failures_ = 0;                   ///< in a row
  TimePoint next_look_, last_plan_;
  std::optional<TimePoint> waits_since_;  ///< for others, with nothing to do
  std::chrono::seconds next_report_{};    ///< time from then to the next message
  std::chrono::duration<double> look_interval_;
  std::int64_t begun_ = 0;
  Drain drain_ = Drain::no;
  int stops_followed_ = 0;
  bool study_changed_ = false;
  bool ended_by_machine_ = false;
  std::exception_ptr error_;
  std::set<std::string> without_checkpoints_;  ///< identities of trials whose last checkpoint is lost, as was warned
  std::vector<SlotUse> slots_;
};

}  // namespace gausscse
