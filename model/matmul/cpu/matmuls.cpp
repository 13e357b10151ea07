#include "model/matmul/cpu/matmuls.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <array>
#include <vector>

#include "model/kernels/block_layouts.hpp"
#include "model/matmul/cpu/bfloat16_instructions.hpp"
#include "model/matmul/cpu/block_kernel.hpp"
#include "model/ops/ops.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

CpuMatmuls::CpuMatmuls(const at::Tensor& parameters, Precision precision, Bfloat16Way way, bool fixed_tiles)
    : fixed_tiles_(fixed_tiles) {
  const bool native = precision != Precision::full &&
                      (way == Bfloat16Way::native ||
                       (way == Bfloat16Way::fastest && bfloat16_instructions() != Bfloat16Instructions::none));
  // It is chosen, or refused, before threads compute with it.
  if (native) block_matmul::block_kernel();
  weights_ = std::make_shared<Weights>(parameters, precision, native);
}

void CpuMatmuls::Weights::changed() {
  rounded_is_current_ = false;
  if (in_bytes) in_bytes->changed();
  for (auto& [place, packed] : packed_) packed.current = false;
  for (auto& [place, in_panels] : in_panels_) {
    in_panels.current = nullptr;
    in_panels.used = false;
  }
}

at::Tensor CpuMatmuls::Weights::factor(const at::Tensor& weight) {
  if (!rounds) return weight;
  const std::lock_guard lock(mutex_);
  if (!rounded_.defined()) rounded_ = at::empty_like(parameters);
  if (!rounded_is_current_) ops::round_to_bfloat16(parameters, rounded_);
  rounded_is_current_ = true;
  return rounded_.as_strided(weight.sizes(), weight.strides(), weight.storage_offset());
}

const block_matmul::RightFactor& CpuMatmuls::Weights::packed(const at::Tensor& weight, bool transposed) {
  const std::lock_guard lock(mutex_);
  Packed& packed = packed_[key_of(weight, transposed)];
  if (!packed.current) block_matmul::pack_weight(weight, transposed, packed.factor);
  packed.current = true;
  return packed.factor;
}

const float* CpuMatmuls::Weights::panels(const panel_matmul::RightFactor& factor) {
  const std::lock_guard lock(mutex_);
  InPanels& found = in_panels_[key_of(factor.weight, factor.transposed)];
  if (!found.current && found.used) found.current = panel_matmul::pack_panels(factor, found.panels);
  found.used = true;
  return found.current;
}

CpuMatmuls::Factor CpuMatmuls::prepare(const at::Tensor& x, kernels::RowShards shards, int slot) {
  const bool native = weights_->native;
  const bool has_type = native ? x.scalar_type() == at::kBFloat16 : !weights_->rounds;
  if (has_type && x.stride(1) == 1) return {x, shards, x};
  at::Tensor factor = factors_[slot].get(x.size(0), x.size(1), product_type());
  if (native || !weights_->rounds || !x.is_contiguous()) factor.copy_(x);
  if (weights_->rounds && !native) ops::round_to_bfloat16(x.is_contiguous() ? x : factor, factor);
  return {factor, shards, x};
}

void CpuMatmuls::multiply_rows(const Factor& a, const at::Tensor& b, at::Tensor out, bool accumulate) {
  const auto multiply = [&](const at::Tensor& left, const at::Tensor& right, at::Tensor product) {
    accumulate ? at::addmm_out(product, product, left, right) : at::mm_out(product, left, right);
  };
  if (!fixed_tiles_) {
    multiply(a.tensor, b, out);
    return;
  }
  const std::vector<Tile> tiles = tiles_of_rows(a.shards, out.size(1));
  run_tasks(static_cast<std::int64_t>(tiles.size()), at::get_num_threads(), [&](std::int64_t i, int) {
    const Tile& tile = tiles[static_cast<std::size_t>(i)];
    multiply(a.tensor.narrow(0, tile.row, tile.rows), b.narrow(1, tile.column, tile.columns), tile.of(out));
  });
}

void CpuMatmuls::multiply_panels(const Factor& a, const at::Tensor& weight, bool transposed,
                                 const panel_matmul::Result& result) {
  // Up to this number, packing takes much of the time: each thread then packs the panels that it multiplies.
  constexpr std::int64_t few_rows = 256;
  const at::Tensor values = weights_->factor(weight);
  const panel_matmul::RightFactor factor{values, transposed};
  const float* panels = weights_->panels(factor);
  if (!panels && a.tensor.size(0) > few_rows) panels = panel_matmul::pack_panels(factor, panels_);
  panel_matmul::multiply(a.tensor, factor, panels, result);
}

void CpuMatmuls::forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias) {
  if (weights_->native) {
    block_matmul::multiply(x.tensor, weights_->packed(weight, true), block_matmul::store_into(out, bias));
    return;
  }
  if (by_panels()) {
    multiply_panels(x, weight, true, {out, bias, {}});
    return;
  }
  if (bias.defined()) out.copy_(bias.expand_as(out));
  multiply_rows(x, weights_->factor(weight).t(), out, bias.defined());
}

void CpuMatmuls::forward_with_gelu(const Factor& x, const at::Tensor& weight, const at::Tensor& bias, at::Tensor out,
                                   at::Tensor activation) {
  if (weights_->native) {
    block_matmul::multiply(x.tensor, weights_->packed(weight, true),
                           block_matmul::store_with_gelu(out, bias, activation));
    return;
  }
  if (by_panels()) {
    multiply_panels(x, weight, true, {out, bias, activation});
    return;
  }
  forward(x, weight, out);
  ops::bias_gelu(out, bias, activation);
}

void CpuMatmuls::input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out) {
  if (weights_->native)
    block_matmul::multiply(grad.tensor, weights_->packed(weight, false), block_matmul::store_into(out, {}));
  else if (by_panels())
    multiply_panels(grad, weight, false, {out, {}, {}});
  else
    multiply_rows(grad, weights_->factor(weight), out, false);
}

// grad_weight [N, K] += grad^T [N, rows] * x [rows, K], in one of four ways:
//
//     factors                  fixed_tiles_  order of the sum over rows
//     bfloat16, own kernels    no            1,024 rows after another; a thread has a block of rows of grad_weight
//     bfloat16, own kernels    yes           each shard and tile by itself, then the tree over shards (add_shards)
//     float32 or rounded       yes           as above, a shard and tile being a matmul of LibTorch
//     float32 or rounded       no            one matmul of LibTorch, in its own order
void CpuMatmuls::weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight, at::Tensor grad_bias) {
  if (grad_bias.defined()) ops::add_column_sums(grad.given, grad.shards, grad_bias);
  const std::int64_t rows = grad_weight.size(0), columns = grad_weight.size(1);
  if (weights_->native) {
    if (fixed_tiles_) {
      row_sums_.lay_out(grad.tensor, x.tensor, grad.shards);
      add_shards(
          grad.shards, tiles_of_sum(rows, columns, kernels::block_size), grad_weight,
          [&](std::int64_t shard, const Tile& tile, at::Tensor out) { row_sums_.multiply(shard, tile, out, false); });
      return;
    }
    // A chunk at a time: its rows are then still in the caches when they are multiplied.
    using block_matmul::chunk_rows;
    const std::int64_t all = grad.tensor.size(0);
    for (std::int64_t begin = 0; begin < all; begin += chunk_rows) {
      const std::int64_t count = std::min(chunk_rows, all - begin), offsets[] = {0, count};
      row_sums_.lay_out(grad.tensor.narrow(0, begin, count), x.tensor.narrow(0, begin, count), {offsets, 1});
      run_tasks((rows + kernels::block_size - 1) / kernels::block_size, at::get_num_threads(),
                [&](std::int64_t block, int) {
                  const std::int64_t row = block * kernels::block_size;
                  const Tile tile{row, std::min(kernels::block_size, rows - row), 0, columns};
                  row_sums_.multiply(0, tile, tile.of(grad_weight), true);
                });
    }
  } else if (fixed_tiles_) {
    add_shards(grad.shards, tiles_of_sum(rows, columns, vector_step), grad_weight,
               [&](std::int64_t shard, const Tile& tile, at::Tensor out) {
                 const std::int64_t begin = grad.shards.offsets[shard], count = grad.shards.rows_of(shard);
                 at::mm_out(out, grad.tensor.narrow(0, begin, count).narrow(1, tile.row, tile.rows).t(),
                            x.tensor.narrow(0, begin, count).narrow(1, tile.column, tile.columns));
               });
  } else {
    at::addmm_out(grad_weight, grad_weight, grad.tensor.t(), x.tensor);
  }
}

// Adds the shards in a binary tree, whose shape is that of their number alone. Groups of 2^g neighbouring shards are
// its subtrees. A task adds up one group for one tile, in the order of the subtree, in as few places as the tree is
// deep. Then other tasks add up the sums of the groups, 64 rows of grad_weight each. So bits do not depend on the
// number of threads, although 2^g does.
void CpuMatmuls::add_shards(const kernels::RowShards& shards, const std::vector<Tile>& tiles, at::Tensor grad_weight,
                            const std::function<void(std::int64_t shard, const Tile& tile, at::Tensor out)>& product) {
  const std::int64_t rows = grad_weight.size(0), columns = grad_weight.size(1);
  const auto tile_count = static_cast<std::int64_t>(tiles.size()), threads = std::int64_t{at::get_num_threads()};
  const std::int64_t group = shards_of_group(shards.count, tile_count, threads);
  const std::int64_t groups = (shards.count + group - 1) / group, places = kernels::places_of_tree(group);
  const auto type = grad_weight.scalar_type();
  const at::Tensor sums = partial_sums_.get(groups * rows, columns, type).view({groups, rows, columns});
  const at::Tensor sums_of_threads =
      sums_of_threads_.get(threads * places, tiles.front().rows * tiles.front().columns, type);

  run_tasks(tile_count * groups, static_cast<int>(threads), [&](std::int64_t task, int thread) {
    const Tile& tile = tiles[static_cast<std::size_t>(task % tile_count)];
    const std::int64_t in_group = task / tile_count, first = in_group * group;
    // The first place is in the group's sum, the others are the thread's.
    const auto sum_in = [&](std::int64_t place) {
      if (place == 0) return tile.of(sums[in_group]);
      return sums_of_threads[thread * places + place]
          .narrow(0, 0, tile.rows * tile.columns)
          .view({tile.rows, tile.columns});
    };
    kernels::add_in_tree(
        std::min(group, shards.count - first),
        [&](std::int64_t i, std::int64_t place) { product(first + i, tile, sum_in(place)); },
        [&](std::int64_t place) { sum_in(place).add_(sum_in(place + 1)); });
  });

  // In parts that stay in a core's cache.
  constexpr std::int64_t rows_of_part = 64;
  run_tasks((rows + rows_of_part - 1) / rows_of_part, static_cast<int>(threads), [&](std::int64_t part, int) {
    const std::int64_t row = part * rows_of_part, count = std::min(rows_of_part, rows - row);
    std::array<std::int64_t, kernels::most_places> group_in_place;
    const auto sum_in = [&](std::int64_t place) {
      return sums[group_in_place[static_cast<std::size_t>(place)]].narrow(0, row, count);
    };
    kernels::add_in_tree(
        groups, [&](std::int64_t i, std::int64_t place) { group_in_place[static_cast<std::size_t>(place)] = i; },
        [&](std::int64_t place) { sum_in(place).add_(sum_in(place + 1)); });
    grad_weight.narrow(0, row, count).add_(sum_in(0));
  });
}

}  // namespace gausscse
