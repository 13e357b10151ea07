#pragma once

#include <cstdint>

#include "model/kernels/activation.hpp"
#include "model/kernels/attention_arguments.hpp"
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

/// Columns of a panel of weights in bytes, and bytes of depth that lie next to each other in it.
constexpr std::int64_t int8_panel = 64;
constexpr std::int64_t int8_group = 4;

/// Computes sums [rows, int8_panel] = the products of rows `a` [rows, depth], `a_stride` apart, and a panel of weights.
/// Depth is a multiple of int8_group. Element (k, c) of a panel is panel[(k / int8_group * int8_panel + c) * int8_group
/// + k % int8_group]. Sums are exact, so that they have the same bits with any instructions.
using MultiplyBytes = void (*)(const std::uint8_t* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth,
                               const std::int8_t* panel, std::int32_t* sums);
/// A way to multiply bytes, and the number of rows that it is best called with, at most int8_most_rows.
struct Int8Multiplier {
  MultiplyBytes multiply;
  std::int64_t rows;
};
constexpr std::int64_t int8_most_rows = 64;

/// A linear layer in bytes. A row x of bytes, whose sums are those of its products, gives
///
///     y[c] = x_scale.scale * (scales[c] * sums[c] - x_scale.zero * scaled_byte_sums[c]) + bias[c]
struct Int8Linear {
  Int8Multiplier multiplier;
  const std::int8_t* panels;  ///< [columns / int8_panel, rounded up][depth * int8_panel]
  std::int64_t depth;         ///< depth of the panels: the rest of a row's bytes is zero
  std::int64_t columns;
  const float* scales;            ///< [columns]
  const float* scaled_byte_sums;  ///< scale of each column times the sum of its bytes over the depth
  const float* bias;
};

/// Layer norm, whose result is written twice: in place, and, each column times its factor, as `bytes`. If the input is
/// kept, it is written as bytes alone.
struct NormToBytes {
  const float* gamma;
  const float* beta;
  float epsilon;
  const float* factors;
  bool keeps_input;
  ByteRows bytes;
};

/// Attention of one sentence in float32, for evaluation.
struct Int8Attention {
  std::int64_t heads;
  std::int64_t head_size;
  const float* relative_bias;  ///< [relative_position_buckets, heads], or null
  std::int64_t queries;        ///< number of the tokens, from the first on, that attend
  std::int64_t tokens;         ///< number of those that are attended to
  /// Rows [heads * head_size]: those of queries are `query_stride` apart, those of keys and values `stride`.
  const float* query;
  std::int64_t query_stride;
  const float* key;
  const float* value;
  std::int64_t stride;
  float* context;                                                    ///< [queries, heads * head_size]
  std::int64_t farthest = std::numeric_limits<std::int64_t>::max();  ///< see Attention
};

/// Kernels of layers whose matmuls multiply bytes, for evaluation (model/encoder/int8_layers.hpp). Each call is one
/// thread's, and a row's bits do not depend on other rows.
///
/// Activations are unsigned bytes with a scale and a zero for each row; weights are signed bytes from -127 to 127 with
/// a scale for each output channel.
struct Int8Kernels {
  /// Returns the fastest way of these kernels to multiply bytes on this processor.
  Int8Multiplier (*multiplier)();
  /// Quantises the weights of one output channel, each divided by its factor (null: 1), to out [depth]. Returns the
  /// scale.
  float (*quantise_channel)(const float* weights, const float* factors, std::int64_t depth, std::int8_t* out);
  /// Quantises rows [rows, columns]: the least and the largest value of a row, and 0, are representable.
  void (*quantise)(const float* x, std::int64_t rows, std::int64_t columns, ByteRows out);
  /// Writes y of `count` rows to rows of out, `stride` apart.
  void (*linear)(const ByteRows& rows, std::int64_t count, const Int8Linear& layer, float* out, std::int64_t stride);
  /// Adds y of `count` rows to out [count, columns].
  void (*add_linear)(const ByteRows& rows, std::int64_t count, const Int8Linear& layer, float* out);
  /// Writes gelu(y) of `count` rows to memory [count, columns], and in bytes.
  void (*gelu_linear)(const ByteRows& rows, std::int64_t count, const Int8Linear& layer, float* memory, ByteRows out);
  /// Writes activation(a) * b of y = [a | b] of `count` rows to memory, of rows as wide as y, and in bytes.
  void (*gate_linear)(const ByteRows& rows, std::int64_t count, const Int8Linear& layer, Activation activation,
                      float* memory, ByteRows out);
  /// Turns rows as Kernels::rotate does.
  void (*rotate)(float* x, const RotatedColumns& columns, const float* angles, const std::uint32_t* positions);
  /// Replaces x [rows, columns] by its layer norm.
  void (*normalize)(float* x, std::int64_t rows, std::int64_t columns, const NormToBytes& norm);
  /// Computes the context.
  void (*attention)(const Int8Attention& of);
};

inline const Int8Kernels& int8_kernels() {
  return table_of_instruction_set<Int8Kernels>();
}

}  // namespace gausscse::kernels
