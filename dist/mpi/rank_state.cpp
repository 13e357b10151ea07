#include "dist/mpi/rank_state.hpp"

#include "base/error.hpp"

namespace gausscse::detail {

RankStateMessage encode(const RankState& state) {
  return {state.waiting ? 1 : 0, state.slow_work ? 1 : 0, static_cast<std::int64_t>(state.call.collective),
          state.call.elements,   state.call.number,       state.call.step};
}

RankState decode(const RankStateMessage& message) {
  return {message[0] != 0, message[1] != 0, {static_cast<Collective>(message[2]), message[3], message[4], message[5]}};
}

std::string to_string(const RankState& state) {
  const std::string call = gausscse::to_string(state.call);
  if (state.waiting) return concat("waits in ", call);
  return state.call.number == 0 ? "has not reached a collective yet"
                                : concat("is not in a collective; the last was ", call);
}

std::string list_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += concat(i == 0 ? "" : ", ", ranks[i]);
  return text;
}

std::string story_of_others(int rank, int size, const CollectiveCall& own, const RankStates& answers) {
  std::vector<int> silent, computing;
  std::string text;
  for (int other = 0; other < size; ++other) {
    if (other == rank) continue;
    const auto answer = answers.find(other);
    if (answer == answers.end()) {
      silent.push_back(other);
    } else if (!answer->second.waiting) {
      computing.push_back(other);
    } else if (!(answer->second.call == own)) {
      text += concat("; rank ", other, " waits in ", to_string(answer->second.call));
    }
  }
  if (!silent.empty()) text += concat("; missing: ", list_of(silent), " (no sign of life: stopped, dead or cut off)");
  if (!computing.empty()) text += concat("; missing: ", list_of(computing), " (alive, but not in a collective)");
  return text.empty() ? "; all ranks are in it" : text;
}

}  // namespace gausscse::detail
