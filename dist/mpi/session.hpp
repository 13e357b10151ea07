#pragma once

#include <memory>
#include <string>

#include "dist/monitored_communicator.hpp"

namespace gausscse {

/// MPI in this process, from its start to its end. One for the whole run of a program.
class MpiSession {
 public:
  /// Starts MPI. Throws SystemError where it allows no threads beside the one that calls it.
  MpiSession();
  /// Ends MPI, which waits for the other ranks; not where an exception passes, of which they may know nothing:
  /// `abort_all_ranks` ends them then.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// All ranks, with a watchdog that ends the job where a collective lasts longer than `time_out` seconds; `compare` is
  /// that of MonitoredCommunicator. Collective. The session must outlive it.
  std::unique_ptr<MonitoredCommunicator> communicator(double time_out, bool compare) const;

  /// What MPI allows threads to do: "single", "funneled", "serialized" or "multiple".
  std::string thread_level() const;

  /// Name and version of the library: "Open MPI v4.1.4".
  static std::string library_version();
  /// Ends all ranks with this exit code; returns where MPI does not run.
  static void abort_all_ranks(int exit_code);

 private:
  int exceptions_at_start_;
};

}  // namespace gausscse
