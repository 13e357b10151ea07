#pragma once

#include <cstring>
#include <type_traits>

#include "model/kernels/cuda/factor.cuh"
#include "model/kernels/cuda/language.cuh"

#ifdef __CUDACC__
#include <mma.h>
#else
#include "cuda_on_cpu/wmma.hpp"
#endif

namespace gausscse::kernels::cuda {

// Products of matrices of bfloat16 by tensor cores, a warp at a time: tiles of 16 by 16 elements, with sums in float32.
// Tiles are read from shared memory and written there, at a multiple of 32 bytes and with a multiple of 16 bytes from
// row to row. It is not known which lane has which element of a tile. A tile that other lanes wrote needs __syncwarp
// first.
//
//     SumTile sum = zero_tile();
//     add_product(tile_at<LeftTile<by_rows>>(a, a_stride), tile_at<RightTile<by_rows>>(b, b_stride), sum);
//     store_tile(sum, to, to_stride);

constexpr int tile_rows = 16;

using SumTile = nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float>;
using by_rows = nvcuda::wmma::row_major;
/// Layout of a matrix whose transpose is in memory.
using transposed = nvcuda::wmma::col_major;
template <typename Layout>
using LeftTile = nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, 16, 16, 16, __nv_bfloat16, Layout>;
template <typename Layout>
using RightTile = nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, 16, 16, 16, __nv_bfloat16, Layout>;

__device__ inline SumTile zero_tile() {
  SumTile tile;
  nvcuda::wmma::fill_fragment(tile, 0.0f);
  return tile;
}

#ifdef __CUDACC__

// The load of <mma.h> takes any address, and so it reads 4 bytes at a time. This one reads a tile at once; it, too,
// leaves the order of the elements to the GPU.
#define GAUSSCSE_LOAD_TILE(side, layout)                                                                      \
  asm volatile("wmma.load." side ".sync.aligned." layout ".m16n16k16.shared.bf16 {%0, %1, %2, %3}, [%4], %5;" \
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])                               \
               : "r"(address), "r"(stride)                                                                    \
               : "memory")

template <typename Layout>
__device__ void load_words(LeftTile<Layout>*, unsigned address, int stride, unsigned (&words)[4]) {
  if constexpr (std::is_same_v<Layout, by_rows>)
    GAUSSCSE_LOAD_TILE("a", "row");
  else
    GAUSSCSE_LOAD_TILE("a", "col");
}
template <typename Layout>
__device__ void load_words(RightTile<Layout>*, unsigned address, int stride, unsigned (&words)[4]) {
  if constexpr (std::is_same_v<Layout, by_rows>)
    GAUSSCSE_LOAD_TILE("b", "row");
  else
    GAUSSCSE_LOAD_TILE("b", "col");
}

/// Reads a factor.
template <typename Tile>
__device__ Tile tile_at(const Bfloat16* from, int stride) {
  unsigned words[4];
  load_words(static_cast<Tile*>(nullptr), static_cast<unsigned>(__cvta_generic_to_shared(from)), stride, words);
  Tile tile;
  static_assert(sizeof tile.x == sizeof words);
  memcpy(tile.x, words, sizeof words);
  return tile;
}

#else

template <typename Tile>
Tile tile_at(SharedPointer<Bfloat16> from, int stride) {
  Tile tile;
  nvcuda::wmma::load_matrix_sync(tile, from, static_cast<unsigned>(stride));
  return tile;
}

#endif

/// Computes sum += left * right.
template <typename LeftLayout, typename RightLayout>
__device__ void add_product(const LeftTile<LeftLayout>& left, const RightTile<RightLayout>& right, SumTile& sum) {
  nvcuda::wmma::mma_sync(sum, left, right, sum);
}

__device__ inline void store_tile(const SumTile& sum, SharedPointer<float> to, int stride) {
  nvcuda::wmma::store_matrix_sync(to, sum, static_cast<unsigned>(stride), nvcuda::wmma::mem_row_major);
}

/// Reads a tile of sums, at any address that store_tile takes.
__device__ inline SumTile sum_tile_at(SharedPointer<float> from, int stride) {
  SumTile tile;
  nvcuda::wmma::load_matrix_sync(tile, from, static_cast<unsigned>(stride), nvcuda::wmma::mem_row_major);
  return tile;
}

}  // namespace gausscse::kernels::cuda
