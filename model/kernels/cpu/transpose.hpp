#pragma once

#include <utility>

#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Side of a square of words that is transposed at a time.
constexpr std::int64_t square = sizeof(Words) / sizeof(std::uint32_t);

/// Exchanges the upper right and lower left part, `side` wide, of each square of 2 * side whose rows `a` and `b`,
/// `side` apart, are part of.
template <int side, int... lane>
inline void exchange(Words& a, Words& b, std::integer_sequence<int, lane...>) {
  const Words upper = __builtin_shufflevector(a, b, ((lane & side) ? square + lane - side : lane)...);
  b = __builtin_shufflevector(a, b, ((lane & side) ? square + lane : lane + side)...);
  a = upper;
}
template <int side>
inline void exchange_all(Words (&rows)[square]) {
  for (int r = 0; r < square; ++r)
    if (!(r & side)) exchange<side>(rows[r], rows[r + side], std::make_integer_sequence<int, square>());
}

/// Turns columns into rows, in four rounds that exchange parts of squares of 2, 4, 8 and 16. Of 4 x 4 words the two
/// rounds are:
///
///     a0 a1 a2 a3        a0 b0 a2 b2        a0 b0 c0 d0
///     b0 b1 b2 b3   ->   a1 b1 a3 b3   ->   a1 b1 c1 d1
///     c0 c1 c2 c3        c0 d0 c2 d2        a2 b2 c2 d2
///     d0 d1 d2 d3        c1 d1 c3 d3        a3 b3 c3 d3
inline void transpose_square(Words (&rows)[square]) {
  exchange_all<1>(rows);
  exchange_all<2>(rows);
  exchange_all<4>(rows);
  exchange_all<8>(rows);
}

/// Computes out [columns, padded] = transpose of x [rows, columns], rows `columns` apart, and 0 from `rows` on;
/// `padded` is a multiple of the square's side.
template <typename T>
void transpose_rows(const T* x, std::int64_t rows, std::int64_t columns, std::int64_t padded, T* out) {
  if constexpr (sizeof(T) == sizeof(std::uint32_t) && bytes_of_register == sizeof(Words)) {
    for (std::int64_t row = 0; row < padded; row += square)
      for_each_register<T>(columns, [=](std::int64_t column, auto count) {
        Words words[square] = {};
        for (std::int64_t r = 0; r < square && row + r < rows; ++r)
          std::memcpy(&words[r], x + (row + r) * columns + column, sizeof(T) * static_cast<std::size_t>(count));
        transpose_square(words);
        for (std::int64_t c = 0; c < count; ++c)
          std::memcpy(out + (column + c) * padded + row, &words[c], sizeof words[c]);
      });
  } else {
    for (std::int64_t c = 0; c < columns; ++c) {
      for (std::int64_t r = 0; r < rows; ++r) out[c * padded + r] = x[r * columns + c];
      for (std::int64_t r = rows; r < padded; ++r) out[c * padded + r] = 0;
    }
  }
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
