#pragma once

#include <memory>
#include <optional>
#include <string>

#include "dist/monitored_communicator.hpp"
#include "dist/mpi/phase_watch.hpp"
#include "dist/mpi/shared_memory_folder.hpp"

namespace gausscse {

/// MPI in this process, from its start to its end. One for the whole run of a program. Ranks wait for each other for at
/// most `time_out` seconds, from before MPI's start to after its end. Where one is stopped, dead or cut off, the others
/// print their states and end the job. A rank that is stopped when the others have gone is ended by its EndGuard.
class MpiSession {
 public:
  /// Starts MPI, and the watch over the start, which ends with `communicator`. Throws SystemError where MPI allows no
  /// threads besides the one that calls it.
  explicit MpiSession(double time_out);
  /// Ends MPI, which waits for the other ranks; not where an exception passes, of which they may know nothing:
  /// `abort_all_ranks` ends them then.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// Returns all ranks, with a watchdog that ends the job where a collective lasts longer than the time-out; `compare`
  /// is that of MonitoredCommunicator. Collective; called once. The session must outlive it.
  std::unique_ptr<MonitoredCommunicator> communicator(bool compare);

  /// Returns the support of threads that MPI grants: "single", "funneled", "serialized" or "multiple".
  std::string thread_level() const;

  /// Returns name and version of the library: "Open MPI v4.1.4".
  static std::string library_version();
  /// Ends all ranks with this exit code; returns where MPI does not run.
  static void abort_all_ranks(int exit_code);

 private:
  int exceptions_at_start_;
  double time_out_;                           ///< seconds
  detail::SharedMemoryFolder shared_memory_;  ///< before MPI starts
  std::optional<detail::PhaseWatch> start_;
};

}  // namespace gausscse
