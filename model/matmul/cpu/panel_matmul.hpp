#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "model/kernels/panel_matmul.hpp"
#include "model/ops/reused_lines.hpp"

/// Matmuls of float32 by kernels::PanelMatmul and many threads. Every element is added up in the order of its depth,
/// so its bits depend neither on threads nor on the rows that are computed together.
namespace gausscse::panel_matmul {

/// A right factor [depth, columns]: `weight`, float32, or its transpose. The elements of its rows lie next to each
/// other.
struct RightFactor {
  const at::Tensor& weight;
  bool transposed;

  std::int64_t depth() const { return weight.size(transposed ? 1 : 0); }
  std::int64_t columns() const { return weight.size(transposed ? 0 : 1); }
  std::int64_t panels() const { return (columns() + kernels::panel_width - 1) / kernels::panel_width; }
  /// Writes a panel, [depth, panel_width].
  void pack(std::int64_t panel, float* to) const;
};

/// Writes all panels of a factor into `memory`, and returns them; they are valid until it is used again.
const float* pack_panels(const RightFactor& factor, ReusedLines& memory);

/// A product [rows, columns] and the values that are computed from it. The elements of a row lie next to each other.
struct Result {
  const at::Tensor& out;
  const at::Tensor& bias;        ///< added to the product if defined; with an activation to its argument only
  const at::Tensor& activation;  ///< becomes gelu(product + bias) if defined; its rows are as far apart as those of out
};

/// Computes a [rows, depth] b. `panels` are those of b, or null: each is then packed by the thread that multiplies it,
/// which takes no memory for all of them.
void multiply(const at::Tensor& a, const RightFactor& b, const float* panels, const Result& result);

}  // namespace gausscse::panel_matmul
