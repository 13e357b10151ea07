#pragma once

#include <cstdint>

namespace gausscse::kernels {

// Relative positions in attention, as MPNet has them from T5: how far a key stands from its query, in buckets. Half of
// them are for keys up to the query, half for those behind it. In each half the distances 0 to 7 have their own
// buckets, and the logarithm of larger ones is cut evenly up to 128; the last bucket has the keys that lie farther
// away. `static`: files that are compiled for different instruction sets must not share the functions' code.

constexpr int relative_position_buckets = 32, relative_position_half = relative_position_buckets / 2;

/// Returns the least distance in bucket `bucket` of a half: from 8 on 8 * 2^((bucket - 8) / 2), rounded up.
static constexpr int least_distance(int bucket) {
  switch (bucket) {
    case 9:
      return 12;
    case 10:
      return 16;
    case 11:
      return 23;
    case 12:
      return 32;
    case 13:
      return 46;
    case 14:
      return 64;
    case 15:
      return 91;
    default:
      return bucket;
  }
}

/// Returns the bucket of `offset`, the key's position less the query's.
static constexpr int relative_position_bucket(int offset) {
  const int distance = offset < 0 ? -offset : offset;
  int bucket = distance < 8 ? distance : 8;
  for (int next = 9; next < relative_position_half; ++next) bucket += distance >= least_distance(next) ? 1 : 0;
  return offset > 0 ? relative_position_half + bucket : bucket;
}

/// Offsets from `least` to `most`.
struct OffsetRange {
  int least, most;
};

/// Returns the offsets of a bucket, none of them farther than `farthest`; an empty range where it has none.
static constexpr OffsetRange offsets_of_bucket(int bucket, int farthest) {
  const bool behind = bucket >= relative_position_half;
  const int of_half = behind ? bucket - relative_position_half : bucket;
  if (behind && of_half == 0) return {0, -1};
  const int least = least_distance(of_half);
  const int most = of_half + 1 < relative_position_half ? least_distance(of_half + 1) - 1 : farthest;
  return behind ? OffsetRange{least, most} : OffsetRange{-most, -least};
}

}  // namespace gausscse::kernels
