#pragma once

#include <cstdint>

#include "model/kernels/bfloat16.hpp"

namespace gausscse::kernels {

/// A step of AdamW (Loshchilov and Hutter 2019).
struct AdamWStep {
  double learning_rate, weight_decay;
  double beta1, beta2, epsilon;
  double correction1, correction2;  ///< 1 - beta^t of step t, the first being 1
  /// Gradients are scaled so that their norm, the root of *squared_norm, is at most `clip_norm`; not where that is 0.
  double clip_norm;
  const double* squared_norm;
};

/// Values that share a mark (AdamWValues::at_rest).
constexpr std::int64_t adamw_block = 256;

/// Runs of an array's values that decay: those from bounds[2*r] to bounds[2*r + 1] - 1, for each run r of `count`.
/// Bounds do not fall; a run may be empty.
struct DecayingRuns {
  const std::int64_t* bounds;
  std::int64_t count;
};

/// Returns the number of bounds at `index` or before it: a value decays where that is odd. `static`: see
/// relative_position.hpp.
static constexpr std::int64_t bounds_up_to(const DecayingRuns& runs, std::int64_t index) {
  std::int64_t first = 0, end = 2 * runs.count;
  while (first < end) {
    const std::int64_t middle = (first + end) / 2;
    if (runs.bounds[middle] <= index)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

/// `count` values with their gradients and moments.
template <typename T>
struct AdamWValues {
  T* value;
  const T* gradient;
  T* moment1;
  T* moment2;
  /// For each block of values, the last of which may be smaller: whether all their moments are 0. As long as their
  /// gradients are 0, too, such values only decay, and their moments are not read. Most rows of a word embedding are
  /// in such blocks for many steps. Null on a GPU.
  bool* at_rest;
  std::int64_t count;
  DecayingRuns decaying;
  /// Gets the new values, rounded to bfloat16; null where they are not wanted, and on CPUs.
  Bfloat16* rounded = nullptr;
};

}  // namespace gausscse::kernels
