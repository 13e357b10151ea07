#include "model/products/cpu/int8_products.hpp"

#include <ATen/native/CPUBlas.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/error.hpp"

namespace gausscse::int8_products {

namespace {

using kernels::int8_group;
using kernels::int8_panel;

/// Depths are multiples of this: a row of the processor's tiles.
constexpr std::int64_t depth_step = 64;
/// Depth that is multiplied at a time: its part of a panel stays in the first cache.
constexpr std::int64_t depth_chunk = 384;
/// Rows of blocks are multiples of this: the block kernel is made again for each shape.
constexpr std::int64_t row_step = 16;
/// Largest depth of which sums of 255 * 127 fit in int32.
constexpr std::int64_t largest_depth = 66'000;

std::int64_t round_up_to(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

/// Returns whether the library's block kernel multiplies bytes on this processor, as the library itself says.
bool library_multiplies() {
  static const bool can = [] {
    alignas(64) unsigned char a[row_step * depth_step] = {};
    alignas(64) signed char b[depth_step * int8_panel] = {};
    alignas(64) std::int32_t sums[row_step * int8_panel];
    try {
      at::native::cpublas::brgemm(row_step, int8_panel, depth_step, depth_step, int8_panel, int8_panel, false, a, b,
                                  sums);
      at::native::cpublas::brgemm_release();
      return true;
    } catch (const c10::Error&) {
      return false;
    }
  }();
  return can;
}

}  // namespace

std::int64_t input_stride(std::int64_t columns) {
  return round_up_to(columns, depth_step);
}

kernels::ByteRows Rows::from(std::int64_t row) const {
  return {bytes.mutable_data_ptr<std::uint8_t>() + row * bytes.size(1), bytes.size(1),
          reinterpret_cast<kernels::ByteScale*>(scales.mutable_data_ptr<float>()) + row};
}

Rows RowsMemory::get(std::int64_t rows, std::int64_t columns) {
  const std::int64_t all = round_up_to(rows, block_rows), stride = input_stride(columns);
  return {bytes.get(all, stride, at::kByte).narrow(0, 0, rows), scales.get(all, 2, at::kFloat).narrow(0, 0, rows)};
}

Weight pack_weight(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& factors) {
  const std::int64_t columns = weight.size(0), depth = weight.size(1), padded = input_stride(depth);
  GAUSSCSE_CHECK(weight.stride(1) == 1, "a weight whose rows are not contiguous");
  if (depth > largest_depth)
    throw InputError(concat("precision int8: a layer has ", depth, " inputs, and sums of at most ", largest_depth,
                            " products of bytes fit in 32 bits: give --precision fp32 or bf16"));
  const std::int64_t panels = (columns + int8_panel - 1) / int8_panel;
  Weight packed{at::zeros({panels, padded * int8_panel}, at::kChar),
                at::empty({columns}, at::kFloat),
                at::empty({columns}, at::kInt),
                bias,
                depth,
                columns};
  const float* const factor_values = factors.defined() ? factors.const_data_ptr<float>() : nullptr;
  std::vector<std::int8_t> channel(static_cast<std::size_t>(padded), 0);
  for (std::int64_t c = 0; c < columns; ++c) {
    const float* const from = weight.const_data_ptr<float>() + c * weight.stride(0);
    packed.scales.mutable_data_ptr<float>()[c] =
        kernels::int8_kernels().quantise_channel(from, factor_values, depth, channel.data());
    packed.byte_sums.mutable_data_ptr<std::int32_t>()[c] = std::accumulate(channel.begin(), channel.end(), 0);
    std::int8_t* const panel = packed.panels.mutable_data_ptr<std::int8_t>() + c / int8_panel * packed.panels.size(1);
    for (std::int64_t k = 0; k < padded; k += int8_group)
      std::memcpy(panel + k * int8_panel + c % int8_panel * int8_group, channel.data() + k, int8_group);
  }
  return packed;
}

kernels::Int8Sums multiply(const kernels::ByteRows& rows, std::int64_t count, const Weight& weight,
                           std::int32_t* sums) {
  GAUSSCSE_CHECK(count <= block_rows && rows.stride == weight.input_stride(), "rows that do not fit a weight in bytes");
  const bool by_library = library_multiplies();
  const std::int64_t stride = weight.sums_stride();
  for (std::int64_t panel = 0; panel < weight.panels.size(0); ++panel) {
    const std::int8_t* const of_panel = weight.panels.const_data_ptr<std::int8_t>() + panel * weight.panels.size(1);
    std::int32_t* const out = sums + panel * int8_panel;
    for (std::int64_t k = 0; k < rows.stride; k += depth_chunk) {
      const std::int64_t depth = std::min(depth_chunk, rows.stride - k);
      if (by_library)
        at::native::cpublas::brgemm(round_up_to(count, row_step), int8_panel, depth, rows.stride, int8_panel, stride,
                                    k > 0, rows.bytes + k, of_panel + k * int8_panel, out);
      else
        kernels::int8_kernels().multiply(rows.bytes + k, rows.stride, count, depth, of_panel + k * int8_panel, out,
                                         stride, k > 0);
    }
  }
  return {.sums = sums,
          .stride = stride,
          .rows = count,
          .columns = weight.columns,
          .row_scales = rows.scales,
          .column_scales = weight.scales.const_data_ptr<float>(),
          .byte_sums = weight.byte_sums.const_data_ptr<std::int32_t>(),
          .bias = weight.bias.const_data_ptr<float>()};
}

TilesInUse::~TilesInUse() {
  if (library_multiplies()) at::native::cpublas::brgemm_release();
}

void Weights::changed() {
  column_factors_ = at::Tensor();
  packed_.clear();
}

at::Tensor Weights::column_factors(const std::function<at::Tensor()>& make) {
  const std::lock_guard lock(mutex_);
  if (!column_factors_.defined()) column_factors_ = make();
  return column_factors_;
}

const Weight& Weights::packed(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& factors) {
  const std::lock_guard lock(mutex_);
  const std::tuple place{weight.storage_offset(), weight.size(0)};
  const auto found = packed_.find(place);
  return found != packed_.end() ? found->second
                                : packed_.emplace(place, pack_weight(weight, bias, factors)).first->second;
}

}  // namespace gausscse::int8_products
