#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>

namespace gausscse {

/// Elements of all gradients that matmuls write in a backward.
///
/// The first matmul of a gradient is written over the earlier values, and only the next ones are added. So a gradient
/// that matmuls wrote in the last backward needs no zeros in this one:
///
///     clear(gradients)       zeros, but for what was written in the last backward
///     is_first(gradient)     each matmul asks: true if nothing has been written there yet
///     finish(0)              zeros for what was left by `clear` and not written
class WrittenGradients {
 public:
  /// Makes `gradients`, those of all parameters in one tensor, 0 but for the elements that were written since the last
  /// call with this tensor. Until `finish` these may have any value.
  void clear(const at::Tensor& gradients);
  /// Returns whether a matmul writes over `gradient`, a matrix, rather than adds to it: if it is one of the cleared
  /// gradients and none of it has been written since. Takes note that it is written.
  bool is_first(const at::Tensor& gradient);
  /// Makes the elements from `first` on 0 that `clear` left as they were and that have not been written since.
  void finish(std::int64_t first);

 private:
  /// Disjoint ranges of elements: their begins and ends.
  class Ranges {
   public:
    /// Adds a range that overlaps none.
    void add(std::int64_t begin, std::int64_t end);
    void remove(std::int64_t begin, std::int64_t end);
    bool overlap(std::int64_t begin, std::int64_t end) const;
    bool contain(std::int64_t begin, std::int64_t end) const;
    const std::map<std::int64_t, std::int64_t>& all() const { return end_of_; }

   private:
    std::map<std::int64_t, std::int64_t> end_of_;  ///< neighbours are joined
  };

  at::Tensor gradients_;  ///< undefined before the first `clear`
  Ranges written_;        ///< since the last `clear`
  Ranges left_;           ///< left as they were by the last `clear`, and not written since
};

}  // namespace gausscse
