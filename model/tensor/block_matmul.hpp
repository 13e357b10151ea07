#pragma once

#include <cstdint>

#include "model/tensor/types.hpp"

/// Matmuls of blocks by the processor's tiles, under the names of LibTorch, which has oneDNN compute them.
namespace at::native::cpublas {

/// Returns whether the processor has tiles, and Linux lets this process use them. Those that exist multiply both 16 and
/// 8 bits.
bool has_tiles();

/// Computes out [rows, columns] = a [rows, depth] times a panel, or is added to. Rows of `a` are a_stride numbers
/// apart. A panel has two rows of the right factor next to each other, [depth / 2, panel_columns, 2]; depth is a
/// multiple of 32. Throws Error without tiles. The thread's tiles keep their shapes until `brgemm_release`;
/// before that it must run no other user of tiles.
void brgemm(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t a_stride,
            std::int64_t panel_columns, std::int64_t out_stride, bool accumulate, const BFloat16* a,
            const BFloat16* panel, float* out);
/// Computes products of bytes, four rows next to each other in a panel; depth is a multiple of 64.
void brgemm(std::int64_t rows, std::int64_t columns, std::int64_t depth, std::int64_t a_stride,
            std::int64_t panel_columns, std::int64_t out_stride, bool accumulate, const std::uint8_t* a,
            const std::int8_t* panel, std::int32_t* out);
/// Gives this thread's tiles back.
void brgemm_release();

}  // namespace at::native::cpublas
