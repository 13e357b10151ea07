#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dist/collective_call.hpp"

namespace gausscse::detail {

/// State of a rank: in a call, or computing after it.
struct RankState {
  bool waiting = false;
  bool slow_work = false;  ///< outside of calls, does work that may take long
  CollectiveCall call;
};

/// A state as it is sent.
using RankStateMessage = std::array<std::int64_t, 6>;
RankStateMessage encode(const RankState& state);
RankState decode(const RankStateMessage& message);

/// Returns "waits in barrier (collective 3)", "is not in a collective; the last was barrier (collective 3)".
std::string to_string(const RankState& state);

/// RankStates of the ranks that answered, by rank.
using RankStates = std::map<int, RankState>;

/// Returns a report of the other ranks while this one is in `own`: "; rank 2 waits in ...; missing: rank 3 (alive, but
/// ...)".
std::string story_of_others(int rank, int size, const CollectiveCall& own, const RankStates& answers);

/// Returns "rank 3", "ranks 0, 3".
std::string list_of(const std::vector<int>& ranks);

}  // namespace gausscse::detail
