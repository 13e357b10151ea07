#pragma once

#include <ATen/core/Tensor.h>

namespace gausscse {

/// Rows divided by their lengths; a zero row stays one. The bits depend on nothing but a row itself.
class UnitRows {
 public:
  /// Normalises `rows` [n, d], float32 or float64, each next to the next in memory or a part of a longer row.
  explicit UnitRows(const at::Tensor& rows);

  /// Returns the rows [n, d], contiguous.
  const at::Tensor& rows() const { return units_; }
  /// Turns `gradient` [n, d] by the rows of unit length into that by the given rows; of a zero row it is 0.
  void backward(at::Tensor gradient) const;

 private:
  at::Tensor units_;
  at::Tensor inverse_lengths_;  ///< float64 [n, 1], 0 for a zero row
};

}  // namespace gausscse
