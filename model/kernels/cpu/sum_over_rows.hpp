#pragma once

#include "model/kernels/cpu/scratch.hpp"
#include "model/kernels/cpu/vector.hpp"

namespace gausscse::kernels::GAUSSCSE_ISA {

/// Calls `visit(row, sums)` for every row, with many threads; it adds the row's part to `sums` [count]. Returns the
/// sums over all rows, in `scratch`. Rows are added in fixed blocks, and blocks in their order: the same bits for any
/// number of threads.
template <typename T, typename Visit>
const T* sum_over_rows(std::int64_t rows, std::int64_t count, Scratch<T>& scratch, const Visit& visit) {
  constexpr std::int64_t rows_of_block = 128;
  const std::int64_t blocks = rows > 0 ? (rows + rows_of_block - 1) / rows_of_block : 1;
  T* all = scratch.of_size(blocks * count);
#pragma omp parallel for schedule(static)
  for (std::int64_t block = 0; block < blocks; ++block) {
    T* sums = all + block * count;
    std::memset(sums, 0, sizeof(T) * static_cast<std::size_t>(count));
    const std::int64_t begin = block * rows_of_block;
    const std::int64_t end = rows - begin < rows_of_block ? rows : begin + rows_of_block;
    for (std::int64_t row = begin; row < end; ++row) visit(row, sums);
  }
  for (std::int64_t block = 1; block < blocks; ++block) {
#pragma omp simd
    for (std::int64_t c = 0; c < count; ++c) all[c] += all[block * count + c];
  }
  return all;
}

/// sum[c] += part[c]
template <typename T>
void add_to(const T* part, std::int64_t count, T* sum) {
#pragma omp simd
  for (std::int64_t c = 0; c < count; ++c) sum[c] += part[c];
}

}  // namespace gausscse::kernels::GAUSSCSE_ISA
