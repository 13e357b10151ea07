#include "dist/mpi/place.hpp"

#include "base/error.hpp"

namespace gausscse::detail {

PlaceMessage encode(const Place& place) {
  return {place.waiting ? 1 : 0, place.slow_work ? 1 : 0, static_cast<std::int64_t>(place.call.collective),
          place.call.elements,   place.call.number,       place.call.step};
}

Place decode(const PlaceMessage& message) {
  return {message[0] != 0, message[1] != 0, {static_cast<Collective>(message[2]), message[3], message[4], message[5]}};
}

std::string to_string(const Place& place) {
  const std::string call = gausscse::to_string(place.call);
  if (place.waiting) return concat("waits in ", call);
  return place.call.number == 0 ? "has not come to a collective yet"
                                : concat("is not in a collective, the last was ", call);
}

std::string list_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += concat(i == 0 ? "" : ", ", ranks[i]);
  return text;
}

}  // namespace gausscse::detail
