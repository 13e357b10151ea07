#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/corpus/token_store.hpp"

namespace gausscse {

/// The token ids that occur often enough to be compared between sentences.
class CountedIds {
 public:
  /// Fewer occurrences do not count, as the released notebook has it.
  static constexpr std::size_t least_occurrences = 5;

  /// Counts the ids that occur at least `least_occurrences` times in `store`. With `pad` the padding counts, too: each
  /// sentence has as many of it as the longest has tokens more.
  CountedIds(const TokenStore& store, std::optional<std::uint32_t> pad);

  struct Counted {
    std::uint32_t id;
    std::size_t occurrences;
  };

  std::size_t size() const { return ids_.size(); }
  /// Returns the ids by their numbers, which are in the order of ids.
  const std::vector<Counted>& ids() const { return ids_; }
  /// Returns the number of `id` among them, from 0 on, or -1.
  std::int64_t number_of(std::uint32_t id) const { return id < number_.size() ? number_[id] : -1; }

 private:
  std::vector<Counted> ids_;
  std::vector<std::int64_t> number_;
};

}  // namespace gausscse
