#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/world.hpp"

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
ProcessIdentity identity_of_process(std::int64_t number, const World& world = real_world());
ProcessIdentity this_process_identity();

/// Returns whether the process is known to have ended: it is of this host, boot and namespace, and no such one runs.
/// False where nobody can know from here.
bool is_known_to_be_gone(const ProcessIdentity& process, const World& world = real_world());
/// Returns whether it is known to run still.
bool is_known_to_run(const ProcessIdentity& process, const World& world = real_world());

/// Content of a claim's file.
struct ClaimContent {
  std::string worker;  ///< random, another for each worker
  ProcessIdentity process;
  double lease = 120;         ///< seconds without a sign of life after which others may take the trial over
  std::uint64_t counter = 0;  ///< raised at each renewal
  bool operator==(const ClaimContent&) const = default;
};

/// Bounds of a lease, in seconds.
inline constexpr double shortest_lease = 0.2, longest_lease = 86400;

/// All claims are of this size, so that a renewal writes in place and never changes a file's length.
inline constexpr std::size_t claim_bytes = 640;

/// Returns JSON text, "gausscse-claim/1", filled up with spaces.
std::string to_text(const ClaimContent& content);
/// Returns nothing where the text is none, as that of a file whose writer died before it wrote.
std::optional<ClaimContent> parse_claim(std::string_view text);

/// Returns 32 hexadecimal digits that no other worker has.
std::string random_worker_name();

}  // namespace gausscse
