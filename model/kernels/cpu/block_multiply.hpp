#pragma once

#include "model/kernels/block_layouts.hpp"
#include "model/kernels/cpu/vector.hpp"

#ifdef __AVX512F__

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace gausscse::kernels::GAUSSCSE_ISA {

/// A tile of sums is in registers: these rows, and the columns of a panel.
constexpr int block_tile_rows = 6, registers_of_panel = block_size / 16;

/// Writes the first `columns` of a register's sums, or adds them to the earlier values.
inline void write_sums(float* to, std::int64_t columns, bool accumulate, __m512 sums) {
  const auto mask = static_cast<__mmask16>(columns >= 16 ? 0xFFFFu : (1u << columns) - 1u);
  _mm512_mask_storeu_ps(to, mask, accumulate ? _mm512_add_ps(_mm512_maskz_loadu_ps(mask, to), sums) : sums);
}

#ifdef __AVX512BF16__

/// Computes rows of a product; `whole_and_first`: all columns, not added to `out`.
template <int rows, bool whole_and_first>
void multiply_block_tile(const BlockProduct& product, std::int64_t row) {
  const Bfloat16* const left = product.left + row * product.left_stride;
  float* const out = product.out + row * product.out_stride;
  __m512 sums[rows][registers_of_panel];
  for (int r = 0; r < rows; ++r)
    for (int i = 0; i < registers_of_panel; ++i) {
      sums[r][i] = _mm512_setzero_ps();
      // The memory of `out` is fetched while the sums are computed.
      __builtin_prefetch(out + r * product.out_stride + i * 16, 1);
    }
  const Bfloat16* panel = product.panel;
  for (std::int64_t k = 0; k < product.depth; k += 2, panel += 2 * block_size) {
    __m512bh of_panel[registers_of_panel];
    for (int i = 0; i < registers_of_panel; ++i)
      of_panel[i] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(panel + i * 32));
    for (int r = 0; r < rows; ++r) {
      std::int32_t pair;
      std::memcpy(&pair, left + r * product.left_stride + k, sizeof pair);
      const auto of_row = reinterpret_cast<__m512bh>(_mm512_set1_epi32(pair));
      for (int i = 0; i < registers_of_panel; ++i) sums[r][i] = _mm512_dpbf16_ps(sums[r][i], of_row, of_panel[i]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r) {
    float* const row_of_out = out + r * product.out_stride;
    for (int i = 0; i < registers_of_panel; ++i) {
      if constexpr (whole_and_first)
        _mm512_storeu_ps(row_of_out + i * 16, sums[r][i]);
      else if (product.columns > i * 16)
        write_sums(row_of_out + i * 16, product.columns - i * 16, product.accumulate, sums[r][i]);
    }
  }
}

template <bool whole_and_first>
inline void multiply_block_rows(const BlockProduct& product) {
  std::int64_t row = 0;
  for (; row + block_tile_rows <= product.rows; row += block_tile_rows)
    multiply_block_tile<block_tile_rows, whole_and_first>(product, row);
  [&]<int... rest>(std::integer_sequence<int, rest...>) {
    ((product.rows - row == rest + 1 ? multiply_block_tile<rest + 1, whole_and_first>(product, row) : void()), ...);
  }
  (std::make_integer_sequence<int, block_tile_rows - 1>());
}

inline void multiply_block(const BlockProduct& product) {
  if (product.columns == block_size && !product.accumulate)
    multiply_block_rows<true>(product);
  else
    multiply_block_rows<false>(product);
}

#endif

}  // namespace gausscse::kernels::GAUSSCSE_ISA

#endif
