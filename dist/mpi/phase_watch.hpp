#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace gausscse::detail {

/// Returns the message of a rank that made no progress in a phase for `seconds`: `text` and its end.
std::string no_progress(double seconds, const std::string& text);

/// A watch over a phase in which ranks wait for each other inside MPI, outside of collectives: MPI's start and its end.
/// Where the phase lasts longer than `seconds`, a thread of the watch prints on standard error the event that this rank
/// waits for, and ends the job with exit code 1. The phase is over when the object goes.
class PhaseWatch {
 public:
  /// Begins to watch. `waits_for` names that event: "MPI's start waits for other ranks".
  PhaseWatch(double seconds, const std::string& waits_for);
  ~PhaseWatch();
  PhaseWatch(const PhaseWatch&) = delete;
  PhaseWatch& operator=(const PhaseWatch&) = delete;

 private:
  void watch();
  [[noreturn]] void end_job() const;

  double limit_;      ///< seconds
  std::string text_;  ///< message that is printed
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace gausscse::detail
