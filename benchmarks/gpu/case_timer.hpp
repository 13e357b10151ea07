#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace gausscse::benchmarks {

/// The time of a call that is repeated, with nothing of its memory in the GPU's cache, as between the steps of a
/// training. So before each call, and not timed, other megabytes are written.
class CaseTimer {
 public:
  explicit CaseTimer(at::Device device, bool small);

  struct Median {
    double seconds;
    int runs;
  };
  /// Returns the median of 20 runs after three that are not timed, or of fewer, at least five, where all would take
  /// longer than some seconds.
  Median median(const std::function<void()>& run);

 private:
  double seconds_of(const std::function<void()>& run);

  at::Device device_;
  int most_runs_;
  at::Tensor other_memory_;
};

}  // namespace gausscse::benchmarks
