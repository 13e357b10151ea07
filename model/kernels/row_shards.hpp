#pragma once

#include <cstdint>

namespace gausscse::kernels {

/// The rows of a matrix, cut into shards, at least one: shard i is the rows offsets[i] to offsets[i + 1]. A sum over
/// rows adds up each shard by itself and then the shards' sums in the order of `add_in_tree`, so that it has the same
/// bits wherever shards are computed.
struct RowShards {
  const std::int64_t* offsets;
  std::int64_t count;

  std::int64_t rows() const { return offsets[count]; }
  std::int64_t rows_of(std::int64_t shard) const { return offsets[shard + 1] - offsets[shard]; }
};

/// Adds up the leaves 0, 1, ... count - 1 of a binary tree, with sums in few places: `leaf(i, place)` puts leaf i into
/// a place, `merge(place)` adds place + 1 to place. Leaves 2k and 2k + 1 are added first, then pairs of those sums, and
/// so on; a sum without a partner moves up as it is. The sum is in place 0 in the end.
template <typename Leaf, typename Merge>
void add_in_tree(std::int64_t count, const Leaf& leaf, const Merge& merge) {
  std::int64_t places = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    leaf(i, places++);
    for (std::int64_t merged = i + 1; merged % 2 == 0; merged /= 2) merge(--places - 1);
  }
  while (places > 1) merge(--places - 1);
}

/// Places that `add_in_tree` needs.
constexpr std::int64_t places_of_tree(std::int64_t count) {
  std::int64_t places = 0;
  for (; count > 0; count /= 2) ++places;
  return places;
}

/// More than any number of places.
constexpr std::int64_t most_places = 64;

}  // namespace gausscse::kernels
