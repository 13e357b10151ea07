#include <cstring>
#include <utility>

#include "model/kernels/block_layouts.hpp"
#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

namespace {

std::uint32_t bits_of(Bfloat16 x) {
  return x.bits;
}
std::uint32_t bits_of(float x) {
  const float nearest = nearest_bfloat16(x);
  std::uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  return bits >> 16;
}

/// Two neighbours of a factor's depth, the first in the lower half. Panels and transposes are made of such words.
template <typename T>
std::uint32_t word_of(const T& first, const T& second) {
  return bits_of(first) | bits_of(second) << 16;
}

void store_words(const std::uint32_t* words, std::int64_t count, Bfloat16* to) {
  std::memcpy(to, words, static_cast<std::size_t>(count) * sizeof *words);
}

/// `columns` words of two rows, or of one and a row of zeros.
template <typename T>
inline void join_rows(const T* first, const T* second, std::int64_t columns, std::uint32_t* words) {
  if (second) {
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) words[c] = word_of(first[c], second[c]);
  } else {
    for (std::int64_t c = 0; c < columns; ++c) words[c] = bits_of(first[c]);
  }
}

template <typename T>
void pack(const T* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, std::int64_t depth,
          Bfloat16* panel) {
  for (std::int64_t row = 0; row < depth; row += 2, panel += 2 * block_size) {
    alignas(64) std::uint32_t words[block_size];
    const T* first = x + row * stride;
    if (columns == block_size && row + 1 < rows) {
      join_rows(first, first + stride, block_size, words);
    } else {
      std::memset(words, 0, sizeof words);
      if (row < rows) join_rows(first, row + 1 < rows ? first + stride : nullptr, columns, words);
    }
    store_words(words, block_size, panel);
  }
}

/// Side of a square of words that is transposed at a time.
constexpr std::int64_t square = 16;
typedef std::uint32_t Words __attribute__((vector_size(square * sizeof(std::uint32_t))));
struct Square {
  alignas(64) std::uint32_t words[square][square];
};

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

/// Turns columns into rows.
inline void transpose_square(Square& in) {
  Words rows[square];
  std::memcpy(rows, in.words, sizeof rows);
  exchange_all<1>(rows);
  exchange_all<2>(rows);
  exchange_all<4>(rows);
  exchange_all<8>(rows);
  std::memcpy(in.words, rows, sizeof rows);
}

void pack_transposed_weight(const float* x, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                            std::int64_t depth, Bfloat16* panel) {
  for (std::int64_t pair = 0; pair < depth / 2; pair += square) {
    const std::int64_t pairs = depth / 2 - pair < square ? depth / 2 - pair : square;
    const std::int64_t left = rows - 2 * pair;
    for (std::int64_t column = 0; column < block_size; column += square) {
      Square words;
      for (std::int64_t c = 0; c < square; ++c) {
        const float* from = x + (column + c) * stride + 2 * pair;
        if (column + c < columns && left >= 2 * square) {
#pragma omp simd
          for (std::int64_t p = 0; p < square; ++p) words.words[c][p] = word_of(from[2 * p], from[2 * p + 1]);
          continue;
        }
        std::memset(words.words[c], 0, sizeof words.words[c]);
        if (column + c >= columns) continue;
        for (std::int64_t p = 0; 2 * p < left; ++p)
          words.words[c][p] = 2 * p + 1 < left ? word_of(from[2 * p], from[2 * p + 1]) : bits_of(from[2 * p]);
      }
      transpose_square(words);
      for (std::int64_t p = 0; p < pairs; ++p)
        store_words(words.words[p], square, panel + ((pair + p) * block_size + column) * 2);
    }
  }
}

void transpose(const Bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, std::int64_t depth,
               Bfloat16* out) {
  for (std::int64_t pair = 0; pair < depth / 2; pair += square) {
    const std::int64_t pairs = depth / 2 - pair < square ? depth / 2 - pair : square;
    for (std::int64_t column = 0; column < columns; column += square) {
      const std::int64_t count = columns - column < square ? columns - column : square;
      Square words;
      for (std::int64_t p = 0; p < square; ++p) {
        const std::int64_t row = 2 * (pair + p);
        const Bfloat16* first = x + row * stride + column;
        if (count == square && row + 1 < rows) {
          join_rows(first, first + stride, square, words.words[p]);
        } else {
          std::memset(words.words[p], 0, sizeof words.words[p]);
          if (row < rows) join_rows(first, row + 1 < rows ? first + stride : nullptr, count, words.words[p]);
        }
      }
      transpose_square(words);
      for (std::int64_t c = 0; c < count; ++c)
        store_words(words.words[c], pairs, out + (column + c) * depth + 2 * pair);
    }
  }
}

template <typename Out>
void put_block(const float* block, const float* bias, std::int64_t rows, std::int64_t columns, Out* out,
               std::int64_t stride) {
  static constexpr float zeros[block_size] = {};
  const float* const addend = bias ? bias : zeros;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* from = block + r * block_size;
    Out* to = out + r * stride;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) put(from[c] + addend[c], to[c]);
  }
}

void gelu_block(const float* block, const float* bias, std::int64_t rows, std::int64_t columns, Bfloat16* product,
                Bfloat16* activation, std::int64_t stride) {
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* from = block + r * block_size;
    Bfloat16* const product_row = product + r * stride;
    Bfloat16* const activation_row = activation + r * stride;
#pragma omp simd
    for (std::int64_t c = 0; c < columns; ++c) {
      const float rounded = nearest_bfloat16(from[c]);
      put(rounded, product_row[c]);
      put(gelu(rounded + bias[c]), activation_row[c]);
    }
  }
}

constexpr BlockLayouts layouts{.pack = pack<Bfloat16>,
                               .pack_weight = pack<float>,
                               .pack_transposed_weight = pack_transposed_weight,
                               .transpose = transpose,
                               .round_block = put_block<Bfloat16>,
                               .copy_block = put_block<float>,
                               .gelu_block = gelu_block};

}  // namespace

const BlockLayouts& block_layouts() {
  return layouts;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
