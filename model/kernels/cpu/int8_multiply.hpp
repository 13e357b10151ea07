#pragma once

#include <immintrin.h>

#include <utility>

#include "model/kernels/cpu/vector.hpp"
#include "model/kernels/int8_kernels.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

typedef std::int32_t Whole __attribute__((vector_size(bytes_of_register)));

/// 16-bit numbers of a register, and the bytes that they are widened from.
typedef std::int16_t Shorts __attribute__((vector_size(bytes_of_register)));
typedef std::int8_t SignedBytes __attribute__((vector_size(bytes_of_register / 2)));

/// Returns the sums of neighbours of a * b.
inline Whole sums_of_pairs(const Shorts& a, const Shorts& b) {
#if defined(__AVX512BW__)
  return reinterpret_cast<Whole>(_mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Whole>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return reinterpret_cast<Whole>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#endif
}

/// Multiplies bytes as 16-bit numbers, on any processor.
inline void multiply_as_shorts(const std::uint8_t* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth,
                               const std::int8_t* panel, std::int32_t* sums) {
  // A register has two sums of each column.
  constexpr std::int64_t columns_of_register = sizeof(Shorts) / sizeof(std::int16_t) / int8_group;
  constexpr std::int64_t registers = 8, columns_at_a_time = registers * columns_of_register;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t column = 0; column < int8_panel; column += columns_at_a_time) {
      Whole of_register[registers] = {};
      for (std::int64_t k = 0; k < depth; k += int8_group) {
        const std::uint8_t* const from = a + r * a_stride + k;
        const std::uint64_t group = std::uint64_t{from[0]} | std::uint64_t{from[1]} << 16 |
                                    std::uint64_t{from[2]} << 32 | std::uint64_t{from[3]} << 48;
        typedef std::uint64_t Groups __attribute__((vector_size(bytes_of_register)));
        const Shorts of_row = reinterpret_cast<Shorts>(Groups{} + group);
        for (std::int64_t i = 0; i < registers; ++i) {
          SignedBytes bytes;
          std::memcpy(&bytes, panel + (k * int8_panel + (column + i * columns_of_register) * int8_group), sizeof bytes);
          of_register[i] += sums_of_pairs(of_row, __builtin_convertvector(bytes, Shorts));
        }
      }
      std::int32_t pairs[2 * columns_at_a_time];
      std::memcpy(pairs, of_register, sizeof pairs);
      std::int32_t* const to = sums + r * int8_panel + column;
      for (std::int64_t c = 0; c < columns_at_a_time; ++c) to[c] = pairs[2 * c] + pairs[2 * c + 1];
    }
  }
}

#if defined(__AVX512BW__)

/// Multiplies `rows` rows, whose sums are in registers while depth runs:
///
///     panel, 4 registers of 16 columns        b0 b1 b2 b3
///     row 0, 4 bytes in every lane      a0    s  s  s  s
///     row 1                             a1    s  s  s  s
///     ...
template <int rows>
__attribute__((target("avx512vnni"))) void multiply_tile_by_vnni(const std::uint8_t* a, std::int64_t a_stride,
                                                                 std::int64_t depth, const std::int8_t* panel,
                                                                 std::int32_t* sums) {
  constexpr int registers = int8_panel * sizeof(std::int32_t) / sizeof(__m512i);
  __m512i of_tile[rows][registers];
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < registers; ++i) of_tile[r][i] = _mm512_setzero_si512();
  for (std::int64_t k = 0; k < depth; k += int8_group) {
    __m512i b[registers];
#pragma GCC unroll 4
    for (int i = 0; i < registers; ++i) b[i] = _mm512_loadu_si512(panel + k * int8_panel + i * 64);
#pragma GCC unroll 8
    for (int r = 0; r < rows; ++r) {
      std::int32_t group;
      std::memcpy(&group, a + r * a_stride + k, sizeof group);
      const __m512i of_row = _mm512_set1_epi32(group);
#pragma GCC unroll 4
      for (int i = 0; i < registers; ++i) of_tile[r][i] = _mm512_dpbusd_epi32(of_tile[r][i], of_row, b[i]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (int i = 0; i < registers; ++i) _mm512_storeu_si512(sums + r * int8_panel + i * 16, of_tile[r][i]);
}

inline void multiply_by_vnni(const std::uint8_t* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth,
                             const std::int8_t* panel, std::int32_t* sums) {
  constexpr int most = 6;
  for (; rows > most; rows -= most, a += most * a_stride, sums += most * int8_panel)
    multiply_tile_by_vnni<most>(a, a_stride, depth, panel, sums);
  [&]<int... less>(std::integer_sequence<int, less...>) {
    ((rows == most - less ? multiply_tile_by_vnni<most - less>(a, a_stride, depth, panel, sums) : void()), ...);
  }
  (std::make_integer_sequence<int, most>());
}

#endif

inline Int8Multiplier multiplier() {
#if defined(__AVX512BW__)
  if (__builtin_cpu_supports("avx512vnni")) return {multiply_by_vnni, 12};
#endif
  return {multiply_as_shorts, 8};
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
