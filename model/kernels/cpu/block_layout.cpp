#include <cstring>

#include "model/kernels/block_layouts.hpp"
#include "model/kernels/cpu/block_multiply.hpp"
#include "model/kernels/cpu/block_multiply_fma.hpp"
#include "model/kernels/cpu/gelu.hpp"
#include "model/kernels/cpu/rounding.hpp"
#include "model/kernels/cpu/transpose.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

// Layouts of BlockLayouts. All work is on words of 32 bits: two neighbours of the depth, the upper row in the lower
// half. A `square` is a register's number of words; `transpose_square` transposes square x square words in registers.
// With a square of 2, rows a, b, c of a factor, and depth 4:
//
//     pack                x [rows, columns]         panel [depth / 2, block_size] words
//                         a0 a1                     a0,b0  a1,b1  0 ...       join two rows
//                         b0 b1              ->     c0,0   c1,0   0 ...
//                         c0 c1
//
//     transpose           x [rows, columns]         words of a square             out [columns, depth]
//                         a0 a1                     a0,b0  a1,b1                  a0,b0  c0,0      a0 b0 c0 0
//                         b0 b1              ->     c0,0   c1,0            ->     a1,b1  c1,0   =  a1 b1 c1 0
//                         c0 c1                     join two rows                 transpose the square
//
//     pack_transposed     x [columns, rows]         words of a square             panel [depth / 2, block_size] words
//                         a0 b0 c0                  a0,b0  c0,0                   a0,b0  a1,b1  0 ...
//                         a1 b1 c1           ->     a1,b1  c1,0            ->     c0,0   c1,0   0 ...
//                                                   neighbours of a row           transpose the square
namespace {

std::uint32_t bits_of(Bfloat16 x) {
  return x.bits;
}
std::uint32_t bits_of(float x) {
  return bits_of_nearest(x);
}

/// Joins two neighbours of a factor's depth, the first in the lower half. Panels and transposes are made of such words.
template <typename T>
std::uint32_t word_of(const T& first, const T& second) {
  return bits_of(first) | bits_of(second) << 16;
}

/// Joins two rows to as many words.
inline Words joined(const Bfloat16* first, const Bfloat16* second) {
  typedef std::uint16_t HalfWords __attribute__((vector_size(sizeof(Words) / 2)));
  HalfWords low, high;
  std::memcpy(&low, first, sizeof low);
  std::memcpy(&high, second, sizeof high);
  return __builtin_convertvector(low, Words) | __builtin_convertvector(high, Words) << 16;
}
inline Words joined(const float* first, const float* second) {
  Bfloat16 rounded[2][square];
  for_each_register<float>(square, [&](std::int64_t c, auto count) {
    store_values(load_some(first + c, count), rounded[0] + c, count);
    store_values(load_some(second + c, count), rounded[1] + c, count);
  });
  return joined(rounded[0], rounded[1]);
}

/// Joins two rows, or one and a row of zeros, to `columns` words.
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
    const T* first = x + row * stride;
    if (columns == block_size && row + 1 < rows) {
      for (std::int64_t c = 0; c < block_size; c += square) {
        const Words words = joined(first + c, first + stride + c);
        std::memcpy(panel + 2 * c, &words, sizeof words);
      }
      continue;
    }
    std::uint32_t words[block_size] = {};
    if (row < rows) join_rows(first, row + 1 < rows ? first + stride : nullptr, columns, words);
    std::memcpy(panel, words, sizeof words);
  }
}

void pack_transposed_weight(const float* x, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                            std::int64_t depth, Bfloat16* panel) {
  for (std::int64_t pair = 0; pair < depth / 2; pair += square) {
    const std::int64_t pairs = depth / 2 - pair < square ? depth / 2 - pair : square;
    const std::int64_t left = rows - 2 * pair;
    for (std::int64_t column = 0; column < block_size; column += square) {
      Words words[square];
      for (std::int64_t c = 0; c < square; ++c) {
        const float* from = x + (column + c) * stride + 2 * pair;
        alignas(64) std::uint32_t of_column[square] = {};
        if (column + c < columns && left >= 2 * square) {
          // A word's halves are neighbours in memory, too.
          const auto halves = reinterpret_cast<Bfloat16*>(of_column);
          for_each_register<float>(2 * square, [=](std::int64_t h, auto count) {
            store_values(load_some(from + h, count), halves + h, count);
          });
        } else if (column + c < columns) {
          for (std::int64_t p = 0; 2 * p < left; ++p)
            of_column[p] = 2 * p + 1 < left ? word_of(from[2 * p], from[2 * p + 1]) : bits_of(from[2 * p]);
        }
        std::memcpy(&words[c], of_column, sizeof words[c]);
      }
      transpose_square(words);
      for (std::int64_t p = 0; p < pairs; ++p)
        std::memcpy(panel + ((pair + p) * block_size + column) * 2, &words[p], sizeof words[p]);
    }
  }
}

/// Loads words of 2 * square rows, as far as there are any, and of square columns.
inline void load_square(const Bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns,
                        Words (&words)[square]) {
  if (columns >= square && rows >= 2 * square) {
    for (std::int64_t p = 0; p < square; ++p) words[p] = joined(x + 2 * p * stride, x + (2 * p + 1) * stride);
    return;
  }
  for (std::int64_t p = 0; p < square; ++p) {
    const Bfloat16* first = x + 2 * p * stride;
    std::uint32_t some[square] = {};
    if (2 * p < rows)
      join_rows(first, 2 * p + 1 < rows ? first + stride : nullptr, columns < square ? columns : square, some);
    std::memcpy(&words[p], some, sizeof words[p]);
  }
}

void transpose(const Bfloat16* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, std::int64_t depth,
               Bfloat16* out) {
  for (std::int64_t pair = 0; pair < depth / 2; pair += square) {
    const std::int64_t pairs = depth / 2 - pair;
    // Rows are too far apart for the processor to fetch them by itself.
    for (std::int64_t r = 2 * (pair + square); r < rows && r < 2 * (pair + 2 * square); ++r)
      for (std::int64_t column = 0; column < columns; column += 2 * square) __builtin_prefetch(x + r * stride + column);
    for (std::int64_t column = 0; column < columns; column += square) {
      const std::int64_t count = columns - column;
      Words words[square];
      load_square(x + 2 * pair * stride + column, stride, rows - 2 * pair, count, words);
      transpose_square(words);
      Bfloat16* const to = out + column * depth + 2 * pair;
      if (count >= square && pairs >= square) {
        for (std::int64_t c = 0; c < square; ++c) std::memcpy(to + c * depth, &words[c], sizeof words[c]);
      } else {
        const std::int64_t bytes = (pairs < square ? pairs : square) * static_cast<std::int64_t>(sizeof(std::uint32_t));
        for (std::int64_t c = 0; c < count && c < square; ++c)
          std::memcpy(to + c * depth, &words[c], static_cast<std::size_t>(bytes));
      }
    }
  }
}

template <typename Out>
void store_block(const float* block, const float* bias, std::int64_t rows, std::int64_t columns, Out* out,
                 std::int64_t stride) {
  static constexpr float zeros[block_size] = {};
  const float* const addend = bias ? bias : zeros;
  for (std::int64_t r = 0; r < rows; ++r)
    for_each_register<float>(columns, [=](std::int64_t c, auto count) {
      store_values(load_some(block + r * block_size + c, count) + load_values(addend + c, count), out + r * stride + c,
                   count);
    });
}

void gelu_block(const float* block, const float* bias, std::int64_t rows, std::int64_t columns, Bfloat16* product,
                Bfloat16* activation, std::int64_t stride) {
  for (std::int64_t r = 0; r < rows; ++r)
    for_each_register<float>(columns, [=](std::int64_t c, auto count) {
      Bfloat16* const rounded = product + r * stride + c;
      store_values(load_some(block + r * block_size + c, count), rounded, count);
      store_values(gelu(load_values(rounded, count) + load_values(bias + c, count)), activation + r * stride + c,
                   count);
    });
}

#ifdef __AVX512BF16__
constexpr auto multiply_or_null = multiply_block;
#else
constexpr decltype(BlockLayouts::multiply) multiply_or_null = nullptr;
#endif
#ifdef __AVX512F__
constexpr auto multiply_by_fma_or_null = multiply_block_by_fma;
#else
constexpr decltype(BlockLayouts::multiply_by_fma) multiply_by_fma_or_null = nullptr;
#endif

constexpr BlockLayouts layouts{.pack = pack<Bfloat16>,
                               .pack_weight = pack<float>,
                               .pack_transposed_weight = pack_transposed_weight,
                               .transpose = transpose,
                               .round_block = store_block<Bfloat16>,
                               .copy_block = store_block<float>,
                               .gelu_block = gelu_block,
                               .multiply = multiply_or_null,
                               .multiply_by_fma = multiply_by_fma_or_null};

}  // namespace

template <>
const BlockLayouts& table() {
  return layouts;
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
