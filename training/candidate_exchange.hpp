#pragma once

#include <cstdint>

#include "config/trial/trial.hpp"
#include "training/gradient_reduction.hpp"

namespace gausscse {

/// Gathered rows and their gradient may take this much of a rank's memory before candidates travel around the ring.
inline constexpr std::int64_t most_gathered_bytes = std::int64_t{1} << 30;

/// Returns the bytes of gathered candidates on each rank: float32 rows of `width` for each role of the whole batch, and
/// their gradient.
std::int64_t gathered_bytes(const Trial& trial, std::int64_t roles, std::int64_t width);

/// Returns the way in which the candidates of a trial come to `ranks` ranks. It is the same for any machine, as the
/// last digits depend on it.
CandidateExchange exchange_of(const Trial& trial, std::int64_t roles, std::int64_t width, int ranks);

}  // namespace gausscse
