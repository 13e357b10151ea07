#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "model/kernels/row_shards.hpp"
#include "model/matmul/cpu/tiles.hpp"
#include "model/ops/reused_matrix.hpp"

/// Products of bfloat16 factors with float32 sums, by blocks of 64 rows and columns. A kernel of ours multiplies them
/// (block_kernel.hpp), or with AMX one by tiles: oneDNN's through LibTorch, else that of model/tensor. Every element is
/// added up in the order of its depth, so that its bits depend on nothing else: neither on threads nor on elements that
/// are computed with it. Needs instructions for bfloat16.
namespace gausscse::block_matmul {

/// A right factor [depth, columns] in panels of 64 columns (model/kernels/block_layouts.hpp).
struct RightFactor {
  at::Tensor panels;  ///< [panels, padded depth * 64]
  std::int64_t depth, columns;
};

/// Makes `factor` the right factor `weight`, float32 [depth, columns], or, `transposed`, that of which `weight` is the
/// transpose. Memory that it has is used again.
void pack_weight(const at::Tensor& weight, bool transposed, RightFactor& factor);

/// Takes a block of a product: `sums` [block.rows, 64], whose first block.columns are its.
using TileEpilogue = std::function<void(const float* sums, const Tile& block)>;

/// Hands a [rows, depth] b to `take`, block by block and by many threads. The elements of a row of `a` lie next to each
/// other.
void multiply(const at::Tensor& a, const RightFactor& b, const TileEpilogue& take);

/// Puts the product, plus `bias` [columns] if defined, into `out`, bfloat16 or float32, whose rows are contiguous.
TileEpilogue store_into(at::Tensor out, const at::Tensor& bias);
/// Puts the product into `out` and gelu(product + bias) into `activation`, both bfloat16 and contiguous.
TileEpilogue store_with_gelu(at::Tensor out, const at::Tensor& bias, at::Tensor activation);

/// Rows of a sum over rows that are multiplied at a time.
constexpr std::int64_t chunk_rows = 1024;

/// Both factors of left^T right, where the depth is the rows of both, cut into shards: laid out by all threads at once,
/// then multiplied in tiles. The memory is kept from one product to the next.
class RowSumFactors {
 public:
  /// Lays out `left` [rows, M] and `right` [rows, N].
  void lay_out(const at::Tensor& left, const at::Tensor& right, kernels::RowShards shards);

  /// Computes out [tile.rows, tile.columns], float32, = the tile of the sum over the shard's rows, or is added to.
  /// `tile.column` is a multiple of 64.
  void multiply(std::int64_t shard, const Tile& tile, at::Tensor out, bool accumulate) const;

 private:
  /// Rows of a shard that are multiplied at a time.
  struct Chunk {
    std::int64_t row, rows, depth;
    std::int64_t first_depth;  ///< sum of the depths before
  };

  std::vector<Chunk> chunks_;
  std::vector<std::int64_t> first_chunk_;  ///< first chunk of each shard, and the number of all
  std::int64_t left_columns_ = 0, right_columns_ = 0;
  ReusedMatrix left_memory_, right_memory_;
  at::Tensor left_, right_;
};

}  // namespace gausscse::block_matmul
