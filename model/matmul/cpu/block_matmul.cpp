#include "model/matmul/cpu/block_matmul.hpp"

#include <ATen/Parallel.h>
#include <ATen/native/CPUBlas.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "model/kernels/block_layouts.hpp"
#include "model/matmul/cpu/block_kernel.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse::block_matmul {

namespace {

using kernels::Bfloat16;
using kernels::block_size;

/// Depths are multiples of this, and so are the rows of blocks for the library: its kernel is made again for each
/// shape.
constexpr std::int64_t depth_step = 32, row_step = 16;
/// The last chunk of a shard is filled up to a multiple of this.
constexpr std::int64_t chunk_step = 64;

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}
std::int64_t parts_of(std::int64_t value, std::int64_t part) {
  return (value + part - 1) / part;
}

const Bfloat16* const_data(const at::Tensor& factor) {
  return reinterpret_cast<const Bfloat16*>(factor.const_data_ptr<at::BFloat16>());
}
Bfloat16* data(const at::Tensor& factor) {
  return reinterpret_cast<Bfloat16*>(factor.mutable_data_ptr<at::BFloat16>());
}

/// Returns our block kernel, null where the library's is used.
decltype(BlockKernel::multiply) own_kernel() {
  return block_kernel().multiply;
}

/// The library's block kernel keeps the processor's tiles set up for one shape; the next user of the tiles must find
/// them free.
struct TilesInUse {
  TilesInUse() = default;
  TilesInUse(const TilesInUse&) = delete;
  TilesInUse& operator=(const TilesInUse&) = delete;
  ~TilesInUse() {
    if (!own_kernel()) at::native::cpublas::brgemm_release();
  }
};

/// Computes out [rows, columns] = a [rows, depth] panel, or is added to.
void multiply_block(std::int64_t rows, std::int64_t columns, std::int64_t depth, const Bfloat16* a,
                    std::int64_t a_stride, const Bfloat16* panel, float* out, std::int64_t out_stride,
                    bool accumulate) {
  if (const auto multiply_by_own_kernel = own_kernel()) {
    multiply_by_own_kernel({.left = a,
                            .left_stride = a_stride,
                            .rows = rows,
                            .depth = depth,
                            .panel = panel,
                            .columns = columns,
                            .out = out,
                            .out_stride = out_stride,
                            .accumulate = accumulate});
    return;
  }
  at::native::cpublas::brgemm(rows, columns, depth, a_stride, block_size, out_stride, accumulate,
                              reinterpret_cast<const at::BFloat16*>(a), reinterpret_cast<const at::BFloat16*>(panel),
                              out);
}

/// Rows of a left factor as the block kernel takes them: where they lie, or copied and filled up with zeros.
class LeftRows {
 public:
  LeftRows(const Bfloat16* from, std::int64_t stride, std::int64_t rows, std::int64_t depth)
      : rows_(own_kernel() ? rows : round_up(rows, row_step)),
        depth_(round_up(depth, depth_step)),
        data_(from),
        stride_(stride) {
    if (rows_ == rows && depth_ == depth) return;
    thread_local std::vector<Bfloat16> copy;
    copy.assign(static_cast<std::size_t>(rows_ * depth_), Bfloat16{0});
    for (std::int64_t r = 0; r < rows; ++r)
      std::memcpy(copy.data() + r * depth_, from + r * stride, static_cast<std::size_t>(depth) * sizeof *from);
    data_ = copy.data();
    stride_ = depth_;
  }

  void multiply(const Bfloat16* panel, float* out) const {
    multiply_block(rows_, block_size, depth_, data_, stride_, panel, out, block_size, false);
  }

 private:
  std::int64_t rows_, depth_;
  const Bfloat16* data_;
  std::int64_t stride_;
};

}  // namespace

void pack_weight(const at::Tensor& weight, bool transposed, RightFactor& factor) {
  const std::int64_t depth = weight.size(transposed ? 1 : 0), columns = weight.size(transposed ? 0 : 1);
  const std::int64_t padded = round_up(depth, depth_step), panels = parts_of(columns, block_size);
  GAUSSCSE_CHECK(weight.stride(1) == 1, "a weight whose rows are not contiguous");
  if (!factor.panels.defined() || factor.depth != depth || factor.columns != columns)
    factor = {at::empty({panels, padded * block_size}, at::kBFloat16), depth, columns};
  const float* const from = weight.const_data_ptr<float>();
  Bfloat16* const to = data(factor.panels);
  const kernels::BlockLayouts& layouts = kernels::block_layouts();
  run_tasks(panels, at::get_num_threads(), [&](std::int64_t panel, int) {
    const std::int64_t column = panel * block_size, count = std::min(block_size, columns - column);
    Bfloat16* const out = to + panel * padded * block_size;
    if (transposed)
      layouts.pack_transposed_weight(from + column * weight.stride(0), weight.stride(0), depth, count, padded, out);
    else
      layouts.pack_weight(from + column, weight.stride(0), depth, count, padded, out);
  });
}

void multiply(const at::Tensor& a, const RightFactor& b, const TileEpilogue& take) {
  const std::int64_t rows = a.size(0), panels = b.panels.size(0), threads = at::get_num_threads();
  GAUSSCSE_CHECK(a.size(1) == b.depth && a.stride(1) == 1, "a factor that does not fit, or whose rows have gaps");
  const std::int64_t row_blocks = parts_of(rows, block_size);
  // All panels of a block of rows in one task, or fewer where there are few rows.
  const std::int64_t groups =
      threads == 1 ? 1
                   : std::clamp(parts_of(4 * threads, std::max<std::int64_t>(1, row_blocks)), std::int64_t{1}, panels);
  const std::int64_t panels_of_group = parts_of(panels, groups);
  const Bfloat16* const left = const_data(a);
  const Bfloat16* const right = const_data(b.panels);
  run_tasks(row_blocks * groups, static_cast<int>(threads), [&](std::int64_t task, int) {
    const std::int64_t row = task / groups * block_size, count = std::min(block_size, rows - row);
    const std::int64_t first = task % groups * panels_of_group, end = std::min(first + panels_of_group, panels);
    const TilesInUse tiles;
    const LeftRows block_rows(left + row * a.stride(0), a.stride(0), count, b.depth);
    alignas(64) std::array<float, block_size * block_size> sums;
    for (std::int64_t panel = first; panel < end; ++panel) {
      const std::int64_t column = panel * block_size;
      block_rows.multiply(right + panel * b.panels.size(1), sums.data());
      take(sums.data(), {row, count, column, std::min(block_size, b.columns - column)});
    }
  });
}

TileEpilogue store_into(at::Tensor out, const at::Tensor& bias) {
  GAUSSCSE_CHECK(out.stride(1) == 1, "a product whose rows have gaps");
  const float* const bias_values = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  const std::int64_t stride = out.stride(0);
  const kernels::BlockLayouts& layouts = kernels::block_layouts();
  const auto put = [=](auto* to, const auto& kernel) {
    return [=](const float* sums, const Tile& block) {
      kernel(sums, bias_values ? bias_values + block.column : nullptr, block.rows, block.columns,
             to + block.row * stride + block.column, stride);
    };
  };
  if (out.scalar_type() == at::kBFloat16) return put(data(out), layouts.round_block);
  return put(out.mutable_data_ptr<float>(), layouts.copy_block);
}

TileEpilogue store_with_gelu(at::Tensor out, const at::Tensor& bias, at::Tensor activation) {
  GAUSSCSE_CHECK(out.is_contiguous() && activation.is_contiguous(), "products that are not contiguous");
  return [product = data(out), activated = data(activation), bias_values = bias.const_data_ptr<float>(),
          stride = out.stride(0),
          gelu_block = kernels::block_layouts().gelu_block](const float* sums, const Tile& block) {
    const std::int64_t place = block.row * stride + block.column;
    gelu_block(sums, bias_values + block.column, block.rows, block.columns, product + place, activated + place, stride);
  };
}

void RowSumFactors::lay_out(const at::Tensor& left, const at::Tensor& right, kernels::RowShards shards) {
  GAUSSCSE_CHECK(left.size(0) == shards.rows() && right.size(0) == shards.rows(), "factors that do not fit");
  GAUSSCSE_CHECK(left.stride(1) == 1 && right.stride(1) == 1, "a factor whose rows are not contiguous");
  left_columns_ = left.size(1), right_columns_ = right.size(1);
  chunks_.clear();
  first_chunk_.clear();
  std::int64_t depth = 0;
  for (std::int64_t shard = 0; shard < shards.count; ++shard) {
    first_chunk_.push_back(static_cast<std::int64_t>(chunks_.size()));
    const std::int64_t end = shards.offsets[shard + 1];
    for (std::int64_t row = shards.offsets[shard]; row < end; row += chunk_rows) {
      const std::int64_t rows = std::min(chunk_rows, end - row), padded = round_up(rows, chunk_step);
      chunks_.push_back({row, rows, padded, depth});
      depth += padded;
    }
  }
  first_chunk_.push_back(static_cast<std::int64_t>(chunks_.size()));

  const std::int64_t left_parts = parts_of(left_columns_, block_size), panels = parts_of(right_columns_, block_size);
  left_ = left_memory_.get(depth, left_columns_, at::kBFloat16);
  right_ = right_memory_.get(depth, panels * block_size, at::kBFloat16);
  const kernels::BlockLayouts& layouts = kernels::block_layouts();
  run_tasks(static_cast<std::int64_t>(chunks_.size()) * (left_parts + panels), at::get_num_threads(),
            [&](std::int64_t task, int) {
              const Chunk& chunk = chunks_[static_cast<std::size_t>(task / (left_parts + panels))];
              const std::int64_t part = task % (left_parts + panels);
              if (part < left_parts) {
                const std::int64_t column = part * block_size;
                layouts.transpose(const_data(left) + chunk.row * left.stride(0) + column, left.stride(0), chunk.rows,
                                  std::min(block_size, left_columns_ - column), chunk.depth,
                                  data(left_) + chunk.first_depth * left_columns_ + column * chunk.depth);
              } else {
                const std::int64_t column = (part - left_parts) * block_size;
                layouts.pack(const_data(right) + chunk.row * right.stride(0) + column, right.stride(0), chunk.rows,
                             std::min(block_size, right_columns_ - column), chunk.depth,
                             data(right_) + chunk.first_depth * panels * block_size + column * chunk.depth);
              }
            });
}

void RowSumFactors::multiply(std::int64_t shard, const Tile& tile, at::Tensor out, bool accumulate) const {
  const std::int64_t first = first_chunk_[static_cast<std::size_t>(shard)],
                     end = first_chunk_[static_cast<std::size_t>(shard) + 1];
  if (first == end && !accumulate) out.zero_();
  const std::int64_t padded_columns = round_up(right_columns_, block_size);
  float* const to = out.mutable_data_ptr<float>();
  const TilesInUse tiles;
  for (std::int64_t i = first; i < end; ++i) {
    const Chunk& chunk = chunks_[static_cast<std::size_t>(i)];
    const Bfloat16* const left = const_data(left_) + chunk.first_depth * left_columns_ + tile.row * chunk.depth;
    const Bfloat16* const right = const_data(right_) + chunk.first_depth * padded_columns + tile.column * chunk.depth;
    for (std::int64_t column = 0; column < tile.columns; column += block_size)
      for (std::int64_t row = 0; row < tile.rows; row += block_size)
        multiply_block(std::min(block_size, tile.rows - row), std::min(block_size, tile.columns - column), chunk.depth,
                       left + row * chunk.depth, chunk.depth, right + column * chunk.depth,
                       to + row * out.stride(0) + column, out.stride(0), accumulate || i > first);
  }
}

}  // namespace gausscse::block_matmul
