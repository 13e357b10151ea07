#pragma once

#include <utility>

#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Element (r, k) of a factor is data[r * row + k * column]: a matrix or its transpose.
template <typename T>
struct StridedFactor {
  const T* data;
  std::int64_t row;
  std::int64_t column;
};

/// Computes `Rows` rows and up to one vector of columns of a product, held in registers while `inner` runs.
template <typename T, int Rows, bool FullVector>
inline void small_product_block(const StridedFactor<T>& a, std::int64_t inner, const T* b, std::int64_t b_stride,
                                std::int64_t columns, T* out, std::int64_t out_stride) {
  const std::size_t bytes = FullVector ? sizeof(Vector<T>) : sizeof(T) * static_cast<std::size_t>(columns);
  Vector<T> sums[Rows] = {};
  for (std::int64_t k = 0; k < inner; ++k) {
    Vector<T> b_row{};
    std::memcpy(&b_row, b + k * b_stride, bytes);
    for (int r = 0; r < Rows; ++r) sums[r] += a.data[r * a.row + k * a.column] * b_row;
  }
  for (int r = 0; r < Rows; ++r) std::memcpy(out + r * out_stride, &sums[r], bytes);
}

template <typename T, int Rows>
inline void small_product_rows(const StridedFactor<T>& a, std::int64_t inner, const T* b, std::int64_t b_stride,
                               std::int64_t columns, T* out, std::int64_t out_stride) {
  constexpr std::int64_t width = VectorOf<T>::width;
  std::int64_t c = 0;
  for (; c + width <= columns; c += width)
    small_product_block<T, Rows, true>(a, inner, b + c, b_stride, width, out + c, out_stride);
  if (c < columns) small_product_block<T, Rows, false>(a, inner, b + c, b_stride, columns - c, out + c, out_stride);
}

/// Computes out[r][c] = sum over k < inner of a(r, k) * b[k][c], for matrices of some dozens of rows, of which a
/// library's product would spend most of its time in preparing.
template <typename T>
inline void small_product(StridedFactor<T> a, std::int64_t rows, std::int64_t inner, const T* b, std::int64_t b_stride,
                          std::int64_t columns, T* out, std::int64_t out_stride) {
  const auto advance = [&](std::int64_t done) {
    a.data += done * a.row;
    out += done * out_stride;
  };
  constexpr int most = 8;
  for (; rows > most; rows -= most, advance(most))
    small_product_rows<T, most>(a, inner, b, b_stride, columns, out, out_stride);
  // The rest at once: with few rows each sum would wait for the one before.
  [&]<int... less>(std::integer_sequence<int, less...>) {
    ((rows == most - less ? small_product_rows<T, most - less>(a, inner, b, b_stride, columns, out, out_stride)
                          : void()),
     ...);
  }
  (std::make_integer_sequence<int, most>());
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
