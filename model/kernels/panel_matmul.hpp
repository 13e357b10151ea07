#pragma once

#include <cstdint>

#include "model/kernels/instruction_set.hpp"

namespace gausscse::kernels {

/// Columns of a panel of a float32 factor.
constexpr std::int64_t panel_width = 48;

/// Matmuls of float32 factors. Each call is one thread's.
///
/// The right factor is in panels of up to `panel_width` columns, [depth, panel_width]; zeros fill the last one up. An
/// element is added up in the order of its depth. So its bits depend on its row and its column of the factors alone:
/// neither on other rows nor on other columns.
///
///     PanelProduct product{.left = x, .left_stride = depth, .rows = rows, .depth = depth, .panel = panel,
///                          .bias = nullptr, .columns = columns, .out = y, .out_stride = columns};
///     panel_matmul().pack_transposed(weight, depth, depth, columns, panel);
///     panel_matmul().multiply(product);
struct PanelProduct {
  const float* left;  ///< [rows, depth], rows left_stride apart
  std::int64_t left_stride, rows, depth;
  const float* panel;
  const float* bias;  ///< [columns], or null
  std::int64_t columns;
  float* out;  ///< [rows, columns], rows out_stride apart
  std::int64_t out_stride;
};

struct PanelMatmul {
  /// Makes the panel of x [depth, columns]; `stride` is the distance of its rows.
  void (*pack)(const float* x, std::int64_t stride, std::int64_t depth, std::int64_t columns, float* panel);
  /// Makes the panel of the transpose of x [columns, depth].
  void (*pack_transposed)(const float* x, std::int64_t stride, std::int64_t depth, std::int64_t columns, float* panel);
  /// Computes out = left panel + bias.
  void (*multiply)(const PanelProduct& product);
  /// Computes activation = gelu(x + bias), both [rows, columns] with rows `stride` apart, as Kernels::bias_gelu does.
  void (*gelu)(const float* x, const float* bias, std::int64_t rows, std::int64_t columns, std::int64_t stride,
               float* activation);
};

inline const PanelMatmul& panel_matmul() {
  return table_of_instruction_set<PanelMatmul>();
}

}  // namespace gausscse::kernels
