#include "model/encoder/matrix_products.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "model/encoder/tiles.hpp"
#include "model/ops/ops.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

bool processor_multiplies_bfloat16() {
  // From the kernel's list: the compiler's own test does not know AMX.
  static const bool found = [] {
    std::ifstream info("/proc/cpuinfo");
    for (std::string line; std::getline(info, line);)
      if (line.rfind("flags", 0) == 0)
        return line.find(" avx512_bf16") != std::string::npos || line.find(" amx_bf16") != std::string::npos;
    return false;
  }();
  return found;
}

MatrixProducts::MatrixProducts(const at::Tensor& parameters, Precision precision, Bfloat16Way way, bool fixed_tiles)
    : fixed_tiles_(fixed_tiles) {
  const bool native = precision == Precision::bfloat16 &&
                      (way == Bfloat16Way::native || (way == Bfloat16Way::fastest && processor_multiplies_bfloat16()));
  weights_ = std::make_shared<Weights>(Weights{parameters, precision, native});
}

void MatrixProducts::prepare_weights() {
  Weights& weights = *weights_;
  if (weights.precision == Precision::full || weights.current) return;
  const at::Tensor& parameters = weights.parameters;
  if (!weights.rounded.defined()) {
    const auto type = weights.native ? at::kBFloat16 : parameters.scalar_type();
    weights.rounded = at::empty_like(parameters, parameters.options().dtype(type));
  }
  if (weights.native)
    weights.rounded.copy_(parameters);
  else
    ops::round_to_bfloat16(parameters, weights.rounded);
  weights.current = true;
}

at::Tensor MatrixProducts::weight_factor(const at::Tensor& weight) {
  if (weights_->precision == Precision::full) return weight;
  prepare_weights();
  return weights_->rounded.as_strided(weight.sizes(), weight.strides(), weight.storage_offset());
}

MatrixProducts::Factor MatrixProducts::prepare(const at::Tensor& x, kernels::RowShards shards, int slot) {
  if (weights_->precision == Precision::full || (x.scalar_type() == at::kBFloat16 && x.is_contiguous()))
    return {x, shards};
  const bool native = weights_->native;
  at::Tensor factor = factors_[slot].get(x.size(0), x.size(1), native ? at::kBFloat16 : x.scalar_type());
  if (native || !x.is_contiguous()) factor.copy_(x);
  if (!native) ops::round_to_bfloat16(x.is_contiguous() ? x : factor, factor);
  return {factor, shards};
}

at::Tensor MatrixProducts::product_memory(std::int64_t rows, std::int64_t columns, const at::Tensor& out) {
  if (out.scalar_type() == product_type()) return {};
  return product_.get(rows, columns, product_type());
}

void MatrixProducts::multiply_rows(const Factor& a, const at::Tensor& b, at::Tensor out, bool accumulate) {
  const at::Tensor product = product_memory(out.size(0), out.size(1), out);
  if (!fixed_tiles_) {
    multiply(a.tensor, b, out, product, accumulate);
    return;
  }
  const std::vector<Tile> tiles = tiles_of_rows(a.shards, out.size(1));
  run_tasks(static_cast<std::int64_t>(tiles.size()), at::get_num_threads(), [&](std::int64_t i, int) {
    const Tile& tile = tiles[static_cast<std::size_t>(i)];
    multiply(a.tensor.narrow(0, tile.row, tile.rows), b.narrow(1, tile.column, tile.columns), tile.of(out),
             tile.of(product), accumulate);
  });
}

void MatrixProducts::weight_gradient(const Factor& grad, const Factor& x, at::Tensor grad_weight) {
  const std::int64_t rows = grad_weight.size(0), columns = grad_weight.size(1);
  if (!fixed_tiles_) {
    multiply(grad.tensor.t(), x.tensor, grad_weight, product_memory(rows, columns, grad_weight), true);
    return;
  }
  const std::vector<Tile> tiles = tiles_of_sum(rows, columns);
  const kernels::RowShards& shards = grad.shards;
  const auto tile_count = static_cast<std::int64_t>(tiles.size()), threads = std::int64_t{at::get_num_threads()};
  const std::int64_t group = shards_of_group(shards.count, tile_count, threads);
  const std::int64_t groups = (shards.count + group - 1) / group, places = kernels::places_of_tree(group);
  const auto type = grad_weight.scalar_type();
  const at::Tensor sums = partial_sums_.get(groups * rows, columns, type).view({groups, rows, columns});
  at::Tensor products = product_memory(groups * rows, columns, grad_weight);
  if (products.defined()) products = products.view({groups, rows, columns});
  const at::Tensor sums_of_threads = sums_of_threads_.get(threads * places, largest_sum_tile(rows, columns), type);

  run_tasks(tile_count * groups, static_cast<int>(threads), [&](std::int64_t task, int thread) {
    const Tile& tile = tiles[static_cast<std::size_t>(task % tile_count)];
    const std::int64_t in_group = task / tile_count, first = in_group * group;
    const at::Tensor product = products.defined() ? tile.of(products[in_group]) : products;
    // The first place is in the group's sum, the others are the thread's.
    const auto sum_in = [&](std::int64_t place) {
      if (place == 0) return tile.of(sums[in_group]);
      return sums_of_threads[thread * places + place]
          .narrow(0, 0, tile.rows * tile.columns)
          .view({tile.rows, tile.columns});
    };
    kernels::add_in_tree(
        std::min(group, shards.count - first),
        [&](std::int64_t i, std::int64_t place) {
          const std::int64_t begin = shards.offsets[first + i], count = shards.rows_of(first + i);
          multiply(grad.tensor.narrow(0, begin, count).narrow(1, tile.row, tile.rows).t(),
                   x.tensor.narrow(0, begin, count).narrow(1, tile.column, tile.columns), sum_in(place), product,
                   false);
        },
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

void MatrixProducts::multiply(const at::Tensor& a, const at::Tensor& b, at::Tensor out, at::Tensor product,
                              bool accumulate) {
  if (product.defined()) {
    at::mm_out(product, a, b);
    accumulate ? out.add_(product) : out.copy_(product);
  } else if (accumulate) {
    at::addmm_out(out, out, a, b);
  } else {
    at::mm_out(out, a, b);
  }
}

void MatrixProducts::forward(const Factor& x, const at::Tensor& weight, at::Tensor out, const at::Tensor& bias) {
  if (bias.defined()) out.copy_(bias.expand_as(out));
  multiply_rows(x, weight_factor(weight).t(), out, bias.defined());
}

void MatrixProducts::input_gradient(const Factor& grad, const at::Tensor& weight, at::Tensor out) {
  multiply_rows(grad, weight_factor(weight), out, false);
}

}  // namespace gausscse
