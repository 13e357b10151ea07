#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "experiments/claims/attempts.hpp"
#include "experiments/claims/claim.hpp"
#include "experiments/claims/claims.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/processes/child_process.hpp"
#include "experiments/processes/trial_launch.hpp"
#include "experiments/worker/trial_outcome.hpp"

namespace gausscse {

/// Default of AttemptSettings::silence, in seconds: much longer than any piece of work takes (see `count_work`).
inline constexpr double default_silence = 30 * 60;
/// The least that a user may set: a training that works renews its progress every three seconds.
inline constexpr double shortest_silence = 10;
/// Seconds for which srun may wait for its part of an allocation, silent, before the training begins.
inline constexpr double longest_wait_of_srun = 12 * 3600;

/// Settings that all attempts of a worker share.
struct AttemptSettings {
  std::filesystem::path results;
  std::filesystem::path program;  ///< program that trains: absolute, or a name to be looked for in PATH
  Resources resources;
  bool keep_models = true;
  double lease = 120;  ///< seconds
  /// Seconds after which a training is killed that has neither written to its log nor reported progress.
  double silence = default_silence;
  /// Makes the record of a run that reported success, see `run_record_of`.
  std::function<decltype(run_record_of)> record = run_record_of;
};

/// End of an attempt.
enum class AttemptEnd {
  committed,       ///< the trial is done
  done_before,     ///< by another worker
  failed,          ///< its record is written
  machine_failed,  ///< not by its own fault (see `class_of_failure`): not recorded; another attempt goes on
  interrupted,     ///< it was asked to stop; another attempt goes on from its checkpoint
  lost             ///< another worker has taken it over
};

/// One start of a trial's program, by the holder of its claim. The program is killed when the object goes.
class TrialAttempt {
 public:
  /// Begins an attempt. `folder` is the one that `take_over_folder` gave. Kills processes of a dead worker of this host
  /// that still run on the trial (see `kill_left_training`).
  TrialAttempt(const AttemptSettings& settings, const StudyPlanEntry& trial, const TrialSlot& slot,
               std::shared_ptr<Claim> claim, std::filesystem::path folder, SteadyNow now,
               const Host& host = real_host());

  /// Starts the program, once killed processes are gone (they may hold a GPU's memory), and finds out how it ended. All
  /// that belongs to the end is then written, and the claim released. Throws InputError where the program cannot be
  /// started: no trial can; WriteError and SystemError where the results folder is out of order. The claim is released
  /// then, too.
  std::optional<AttemptEnd> poll();

  /// Asks for a checkpoint and the end.
  void ask_to_stop();
  /// Ends it at once.
  void kill();

  const PlannedTrial& trial() const { return trial_.planned; }
  const Trial& settings() const { return *trial_.trial; }
  const std::filesystem::path& folder() const { return folder_; }
  /// Returns the seconds since the program was started, in this attempt.
  double seconds() const;
  /// Returns the problem of a failed attempt, in words.
  const std::string& problem() const { return problem_; }
  /// Returns a description of the state that the attempt found before it began; empty: nothing.
  const std::string& note() const { return note_; }

 private:
  std::optional<AttemptEnd> advance();
  bool waits_for_the_killed() const;
  void look_for_signs();
  void start();
  void note_seconds();
  AttemptEnd finish(const ChildEnd& end);
  AttemptEnd commit(const ChildEnd& end);
  AttemptEnd fail(const std::string& reason, AttemptEnd end);

  const AttemptSettings& settings_;
  const Host& host_;
  StudyPlanEntry trial_;
  TrialSlot slot_;
  std::shared_ptr<Claim> claim_;
  std::filesystem::path folder_;
  SteadyNow now_;
  Attempts attempts_;
  double seconds_before_ = 0;
  std::uint64_t log_begin_ = 0;
  std::chrono::steady_clock::time_point taken_, started_{}, noted_{}, last_look_{}, last_sign_{};
  std::string last_signs_, first_progress_;
  ProcessIdentity killed_;  ///< process that ran in its place
  bool asked_to_stop_ = false;
  std::optional<double> silence_;  ///< seconds after which it was killed for it
  std::string problem_, note_;
  std::unique_ptr<Child> child_;
};

}  // namespace gausscse
