#include "evaluation/geometry/counted_ids.hpp"

#include <algorithm>

namespace gausscse {

CountedIds::CountedIds(const TokenStore& store, std::optional<std::uint32_t> pad) {
  std::vector<std::size_t> occurrences;
  const auto add = [&](std::uint32_t id, std::size_t times) {
    if (id >= occurrences.size()) occurrences.resize(id + 1);
    occurrences[id] += times;
  };
  std::vector<std::uint32_t> ids;
  std::size_t longest = 0;
  const auto sentences = static_cast<std::uint32_t>(store.sentences());
  for (std::uint32_t s = 0; s < sentences; ++s) longest = std::max(longest, store.length(s));
  for (std::uint32_t s = 0; s < sentences; ++s) {
    ids.clear();
    store.append_tokens(s, ids);
    for (const std::uint32_t id : ids) add(id, 1);
    if (pad) add(*pad, longest - ids.size());
  }
  number_.assign(occurrences.size(), -1);
  for (std::uint32_t id = 0; id < occurrences.size(); ++id) {
    if (occurrences[id] < least_occurrences) continue;
    number_[id] = static_cast<std::int64_t>(ids_.size());
    ids_.push_back({id, occurrences[id]});
  }
}

}  // namespace gausscse
