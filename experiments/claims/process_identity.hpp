#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace gausscse {

/// A process, distinguished from all others that ever had its number.
struct ProcessIdentity {
  std::string host;
  std::string boot;         ///< the host's boot and the process's namespace of numbers (a container has its own)
  std::int64_t number = 0;  ///< 0: unknown
  std::uint64_t start = 0;  ///< in the kernel's ticks since the boot
  bool operator==(const ProcessIdentity&) const = default;
};

/// Returns the identity of a process of this host. `start` is 0 where it cannot be found out.
ProcessIdentity identity_of_process(pid_t number);
ProcessIdentity this_process_identity();

/// Returns whether the process is known to have ended: it is of this host, boot and namespace, and no such one runs.
/// False where nobody can know from here.
bool is_known_to_be_gone(const ProcessIdentity& process);
/// Returns whether it is known to run still.
bool is_known_to_run(const ProcessIdentity& process);

}  // namespace gausscse
