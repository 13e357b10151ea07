#pragma once

#include <cstdint>

#include "model/kernels/bfloat16.hpp"
#include "model/kernels/instruction_set.hpp"

namespace gausscse::kernels {

/// Scale of a row of bytes: a byte b means scale * (b - zero). `zero` is a whole number from 0 to 255. The scale is NaN
/// where the row held a number that is not finite, so that it stays visible.
struct ByteScale {
  float scale;
  float zero;
};

/// Rows of unsigned bytes, `stride` apart, which is at least their number of columns; the rest of a row is zero.
struct ByteRows {
  std::uint8_t* bytes;
  std::int64_t stride;
  ByteScale* scales;
};

/// Sums of products of bytes, [rows, columns], rows `stride` apart, with what turns them into float32:
///
///     y[r][c] = rows_scale[r].scale * column_scales[c] * (sums[r][c] - rows_scale[r].zero * byte_sums[c]) + bias[c]
struct Int8Sums {
  const std::int32_t* sums;
  std::int64_t stride;
  std::int64_t rows;
  std::int64_t columns;
  const ByteScale* row_scales;
  const float* column_scales;
  const std::int32_t* byte_sums;  ///< sum of each column's bytes over the depth
  const float* bias;
};

/// Layer norm, whose result is written twice: as `out`, and, each column times its factor, as `bytes`.
struct NormToBytes {
  const float* gamma;
  const float* beta;
  float epsilon;
  const float* factors;
  float* out;  ///< [rows, columns]
  ByteRows bytes;
};

/// Columns of a panel of weights in bytes, and bytes of depth that lie next to each other in it.
constexpr std::int64_t int8_panel = 64;
constexpr std::int64_t int8_group = 4;

/// Kernels of layers whose matmuls multiply bytes, for evaluation (model/encoder/int8_layers.hpp). Each call is one
/// thread's, and a row's bits do not depend on other rows.
///
/// Activations are unsigned bytes with a scale and a zero for each row; weights are signed bytes from -127 to 127 with
/// a scale for each output channel. Their products are added up exactly, as int32, so that sums have the same bits with
/// any instructions.
struct Int8Kernels {
  /// Quantises rows [rows, columns], `stride` apart: the least and the largest value of a row, and 0, are
  /// representable.
  void (*quantise)(const Bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, ByteRows out);
  /// Quantises the weights of one output channel, each divided by its factor (null: 1), to out [depth]. Returns the
  /// scale.
  float (*quantise_channel)(const float* weights, const float* factors, std::int64_t depth, std::int8_t* out);
  /// Computes out [rows, int8_panel] = a panel, or is added to. `a` [rows, depth] has rows `a_stride` apart, and depth
  /// is a multiple of int8_group. Element (k, c) of a panel is panel[(k / int8_group * int8_panel + c) * int8_group +
  /// k % int8_group]. For processors whose instructions the library's block kernel does not know.
  void (*multiply)(const std::uint8_t* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth,
                   const std::int8_t* panel, std::int32_t* out, std::int64_t out_stride, bool accumulate);

  /// Writes y, rounded to bfloat16, to rows `stride` apart.
  void (*round_sums)(const Int8Sums& y, Bfloat16* out, std::int64_t stride);
  /// Writes gelu(y) in bytes. `row` is memory for a row of floats.
  void (*gelu_sums)(const Int8Sums& y, float* row, ByteRows out);
  /// Writes the layer norm of y + residual [rows, columns], which may be norm.out itself.
  void (*normalize_sums)(const Int8Sums& y, const float* residual, const NormToBytes& norm);
  /// Writes the layer norm of x [rows, columns], which may be norm.out itself.
  void (*normalize)(const float* x, std::int64_t rows, std::int64_t columns, const NormToBytes& norm);
};

inline const Int8Kernels& int8_kernels() {
  return table_of_instruction_set<Int8Kernels>();
}

}  // namespace gausscse::kernels
