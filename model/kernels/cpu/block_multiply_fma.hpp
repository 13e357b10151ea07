#pragma once

#include "model/kernels/block_layouts.hpp"
#include "model/kernels/cpu/block_multiply.hpp"

#ifdef __AVX512F__

#include <immintrin.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Pairs of depth that are widened to float32 at a time: a panel's, 16 kB, stay in the first cache.
constexpr std::int64_t pairs_of_part = 32;

/// The floating-point mode of vdpbf16ps, which ignores the program's: sums are rounded to the nearest, denormal factors
/// and sums are zeros. The destructor restores the program's mode.
class ModeOfVdpbf16ps {
 public:
  ModeOfVdpbf16ps() : before_(_mm_getcsr()) {
    constexpr unsigned no_exceptions = 0x1F80, denormals_are_zeros = 0x0040, flush_to_zero = 0x8000;
    _mm_setcsr(no_exceptions | denormals_are_zeros | flush_to_zero);
  }
  ModeOfVdpbf16ps(const ModeOfVdpbf16ps&) = delete;
  ModeOfVdpbf16ps& operator=(const ModeOfVdpbf16ps&) = delete;
  ~ModeOfVdpbf16ps() { _mm_setcsr(before_); }

 private:
  unsigned before_;
};

typedef std::uint32_t PairsOfBfloat16 __attribute__((vector_size(64)));

inline __m512 first_of_pairs(__m512i pairs) {
  return reinterpret_cast<__m512>(reinterpret_cast<PairsOfBfloat16>(pairs) << 16);
}
inline __m512 second_of_pairs(__m512i pairs) {
  return reinterpret_cast<__m512>(reinterpret_cast<PairsOfBfloat16>(pairs) & 0xFFFF0000u);
}

/// Widens a part of a panel to [pairs, 2, block_size]: the second of each pair, then the first.
inline void widen_panel(const Bfloat16* panel, std::int64_t pairs, float* wide) {
  for (std::int64_t pair = 0; pair < pairs; ++pair, panel += 2 * block_size, wide += 2 * block_size)
    for (int i = 0; i < registers_of_panel; ++i) {
      const __m512i of_panel = _mm512_loadu_si512(panel + i * 32);
      _mm512_store_ps(wide + i * 16, second_of_pairs(of_panel));
      _mm512_store_ps(wide + block_size + i * 16, first_of_pairs(of_panel));
    }
}

/// Adds the products of a part of the depth to sums_of_rows [rows, block_size]. It is not inlined, so that the compiler
/// moves no multiplication to where another floating-point mode holds.
template <int rows>
[[gnu::noinline]] void add_part_of_depth(const Bfloat16* left, std::int64_t left_stride, std::int64_t pairs,
                                         const float* wide_panel, float* sums_of_rows) {
  // The second of each pair, then the first.
  alignas(64) float wide_left[rows][2][pairs_of_part];
  for (int r = 0; r < rows; ++r)
    for (std::int64_t pair = 0; pair < pairs; pair += 16) {
      const std::int64_t count = pairs - pair;
      const auto mask = static_cast<__mmask16>(count >= 16 ? 0xFFFFu : (1u << count) - 1u);
      // The next tile's rows are fetched while this one's are multiplied. Behind the last row this fetches nothing.
      __builtin_prefetch(left + (r + rows) * left_stride + 2 * pair);
      const __m512i of_row = _mm512_maskz_loadu_epi32(mask, left + r * left_stride + 2 * pair);
      _mm512_store_ps(wide_left[r][0] + pair, second_of_pairs(of_row));
      _mm512_store_ps(wide_left[r][1] + pair, first_of_pairs(of_row));
    }
  __m512 sums[rows][registers_of_panel];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < registers_of_panel; ++i) sums[r][i] = _mm512_load_ps(sums_of_rows + r * block_size + i * 16);
  for (std::int64_t pair = 0; pair < pairs; ++pair)
    for (int half = 0; half < 2; ++half, wide_panel += block_size) {
      __m512 of_panel[registers_of_panel];
      for (int i = 0; i < registers_of_panel; ++i) of_panel[i] = _mm512_load_ps(wide_panel + i * 16);
      for (int r = 0; r < rows; ++r) {
        const __m512 of_row = _mm512_set1_ps(wide_left[r][half][pair]);
        for (int i = 0; i < registers_of_panel; ++i) sums[r][i] = _mm512_fmadd_ps(of_row, of_panel[i], sums[r][i]);
      }
    }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < registers_of_panel; ++i) _mm512_store_ps(sums_of_rows + r * block_size + i * 16, sums[r][i]);
}

/// Adds the products of a part of the depth, which begins at `first`, to sums [product.rows, block_size].
inline void add_part_of_block(const BlockProduct& product, std::int64_t first, std::int64_t pairs,
                              const float* wide_panel, float* sums) {
  const Bfloat16* const next_panel = product.panel + (first + 2 * pairs) * block_size;
  const auto add_rows = [=, &product]<int rows>(std::integral_constant<int, rows>, std::int64_t row) {
    add_part_of_depth<rows>(product.left + row * product.left_stride + first, product.left_stride, pairs, wide_panel,
                            sums + row * block_size);
    // The next part of the panel is fetched meanwhile, or the next panel, and the values of `out` to which the sums
    // will be added.
    for (int line = 0; line < 2 * rows; ++line) __builtin_prefetch(next_panel + (2 * row + line) * 32);
    for (int r = 0; product.accumulate && r < rows; ++r)
      for (int i = 0; i < registers_of_panel; ++i)
        __builtin_prefetch(product.out + (row + r) * product.out_stride + i * 16, 1);
  };
  std::int64_t row = 0;
  for (; row + block_tile_rows <= product.rows; row += block_tile_rows)
    add_rows(std::integral_constant<int, block_tile_rows>(), row);
  [&]<int... rest>(std::integer_sequence<int, rest...>) {
    ((product.rows - row == rest + 1 ? add_rows(std::integral_constant<int, rest + 1>(), row) : void()), ...);
  }
  (std::make_integer_sequence<int, block_tile_rows - 1>());
}

/// Computes a product with the bits of multiply_block, by FMA of float32. vdpbf16ps adds the product of the second
/// numbers of a pair to the sum, then that of the first, and rounds after each. See Intel 64 and IA-32 Architectures
/// Software Developer's Manual, volume 2, VDPBF16PS. A sum that is not a number may have another NaN's bits.
inline void multiply_block_by_fma(const BlockProduct& product) {
  alignas(64) float wide_panel[pairs_of_part * 2 * block_size], sums[block_size * block_size] = {};
  {
    const ModeOfVdpbf16ps mode;
    for (std::int64_t first = 0; first < product.depth; first += 2 * pairs_of_part) {
      const std::int64_t pairs_left = (product.depth - first) / 2;
      const std::int64_t pairs = pairs_left < pairs_of_part ? pairs_left : pairs_of_part;
      widen_panel(product.panel + first * block_size, pairs, wide_panel);
      add_part_of_block(product, first, pairs, wide_panel, sums);
    }
  }
  for (std::int64_t row = 0; row < product.rows; ++row)
    for (std::int64_t column = 0; column < product.columns; column += 16)
      write_sums(product.out + row * product.out_stride + column, product.columns - column, product.accumulate,
                 _mm512_load_ps(sums + row * block_size + column));
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA

#endif
