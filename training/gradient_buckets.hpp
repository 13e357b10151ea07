#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "dist/communicator.hpp"
#include "model/batch/parameter_store.hpp"

namespace gausscse {

/// Sums the gradients of a store over ranks in buckets of whole parameters, the last parameters first. Each bucket
/// begins as soon as a backward is done with it, so that a device sums while it goes on with the backward. The buckets
/// are the same on all ranks, also where their examples differ in number. On CPUs all gradients are one bucket: there
/// it did not pay to begin earlier.
class GradientBuckets {
 public:
  /// Makes buckets of at least `elements` elements, but for that of the first parameters.
  explicit GradientBuckets(std::int64_t elements) : elements_(elements) {}

  /// Begins with the last parameters, also if some have been summed.
  void begin();
  /// Returns whether a bucket has been summed since `begin` or `finish`.
  bool begun() const { return next_ > 0; }
  /// Sums the buckets whose elements are all at `first` or behind it, if they have not been.
  void sum_from(std::int64_t first, ParameterStore& parameters, Communicator& communicator);
  /// Sums those that are left; afterwards the current stream finds all sums. Begins again.
  void finish(ParameterStore& parameters, Communicator& communicator);

 private:
  std::int64_t elements_;
  std::vector<std::int64_t> begins_;  ///< first elements of the buckets, falling to 0
  std::size_t next_ = 0;              ///< bucket to be summed
  std::vector<std::unique_ptr<PendingCollective>> pending_;
};

}  // namespace gausscse
