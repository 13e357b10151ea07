#pragma once

#include <cstdint>

#include "model/kernels/bfloat16.hpp"
#include "model/kernels/instruction_set.hpp"

namespace gausscse::kernels {

/// Columns of a panel, and rows and columns of a block that the library's block kernel multiplies at a time.
constexpr std::int64_t block_size = 64;

/// Product of rows and a panel, with float32 sums.
struct BlockProduct {
  const Bfloat16* left;  ///< [rows, depth], rows left_stride apart; rows <= block_size, depth is even
  std::int64_t left_stride, rows, depth;
  const Bfloat16* panel;
  std::int64_t columns;  ///< first columns of the panel that are wanted
  float* out;            ///< [rows, columns], rows out_stride apart
  std::int64_t out_stride;
  bool accumulate;  ///< is added to out
};

/// Layout of factors for products of bfloat16 blocks, and of blocks of float32 sums that become a product; see
/// model/matmul/cpu/block_matmul.hpp. Each call is one thread's.
///
/// A panel holds up to `block_size` columns of a right factor, [depth/2, block_size, 2]: two rows of the factor lie
/// next to each other, as the processor's instructions want them. Zeros fill it up, to its last column and to `depth`,
/// which is even. A factor of 3 rows and 2 columns, with depth 4 and a block of 3 columns:
///
///     a0 a1            a0 b0  a1 b1  0 0      a word is a pair of 16 bits: "a0 b0" is one,
///     b0 b1    ->      c0 0   c1 0   0 0      the upper row in its lower half
///     c0 c1
struct BlockLayouts {
  /// Makes the panel of x [rows, columns]; `stride` is the distance of its rows, rows <= depth.
  void (*pack)(const Bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, std::int64_t depth,
               Bfloat16* panel);
  /// Packs float32, rounded to the nearest.
  void (*pack_weight)(const float* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, std::int64_t depth,
                      Bfloat16* panel);
  /// Makes the panel of the transpose of x [columns, rows].
  void (*pack_transposed_weight)(const float* x, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                                 std::int64_t depth, Bfloat16* panel);
  /// Computes out [columns, depth] = transpose of x [rows, columns], with zeros from `rows` to `depth`, which is even.
  void (*transpose)(const Bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, std::int64_t depth,
                    Bfloat16* out);
  /// Computes out [rows, columns], rows `stride` apart, = the first columns of block [rows, block_size] + bias (may be
  /// null), rounded to the nearest.
  void (*round_block)(const float* block, const float* bias, std::int64_t rows, std::int64_t columns, Bfloat16* out,
                      std::int64_t stride);
  /// Copies a block as float32.
  void (*copy_block)(const float* block, const float* bias, std::int64_t rows, std::int64_t columns, float* out,
                     std::int64_t stride);
  /// Computes product = the first columns of block, rounded to the nearest, and activation = gelu(product + bias),
  /// rounded as well: the bits of round_block and Kernels::bias_gelu.
  void (*gelu_block)(const float* block, const float* bias, std::int64_t rows, std::int64_t columns, Bfloat16* product,
                     Bfloat16* activation, std::int64_t stride);
  /// Computes a product, with the bits of oneDNN's block kernel on the same processor without AMX: an element is the
  /// sum of its pairs of products in the order of the depth. Null where the instructions for that are missing.
  void (*multiply)(const BlockProduct& product);
  /// Computes the bits of `multiply` by multiplications of float32. Null where AVX-512 is missing.
  void (*multiply_by_fma)(const BlockProduct& product);
};

inline const BlockLayouts& block_layouts() {
  return table_of_instruction_set<BlockLayouts>();
}

}  // namespace gausscse::kernels
