#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "experiments/claims/process_identity.hpp"

namespace gausscse {

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
