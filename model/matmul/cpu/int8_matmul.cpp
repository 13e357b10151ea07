#include "model/matmul/cpu/int8_matmul.hpp"

#include <ATen/native/CPUBlas.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/error.hpp"
#include "base/option_name.hpp"
#include "model/matmul/cpu/bfloat16_instructions.hpp"

namespace gausscse::int8_matmul {

namespace {

using kernels::int8_group;
using kernels::int8_panel;

/// Depths are multiples of this: a row of the processor's tiles.
constexpr std::int64_t depth_step = 64;
/// Rows of the library's blocks are multiples of this: its kernel is made again for each shape.
constexpr std::int64_t row_step = 16;
/// Largest depth of which sums of 255 * 127 fit in int32.
constexpr std::int64_t largest_depth = 66'000;

std::int64_t round_up_to(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

void multiply_by_library(const std::uint8_t* a, std::int64_t a_stride, std::int64_t rows, std::int64_t depth,
                         const std::int8_t* panel, std::int32_t* sums) {
  // This depth of a panel stays in the first cache.
  constexpr std::int64_t chunk = 384;
  for (std::int64_t k = 0; k < depth; k += chunk)
    at::native::cpublas::brgemm(round_up_to(rows, row_step), int8_panel, std::min(chunk, depth - k), a_stride,
                                int8_panel, int8_panel, k > 0, a + k, panel + k * int8_panel, sums);
}

/// Returns whether the library's block kernel multiplies bytes on this processor, as the library itself says.
bool library_multiplies() {
  static const bool can = [] {
    alignas(64) unsigned char a[row_step * depth_step] = {};
    alignas(64) signed char b[depth_step * int8_panel] = {};
    alignas(64) std::int32_t sums[row_step * int8_panel];
    try {
      multiply_by_library(a, depth_step, row_step, depth_step, b, sums);
      at::native::cpublas::brgemm_release();
      return true;
    } catch (const c10::Error&) {
      return false;
    }
  }();
  return can;
}

/// Returns whether the processor has tiles, which kernels of ours do not use. Those with tiles of bfloat16 have tiles
/// of bytes.
bool has_tiles() {
  return bfloat16_instructions() == Bfloat16Instructions::amx;
}

}  // namespace

std::int64_t input_stride(std::int64_t columns) {
  return round_up_to(columns, depth_step);
}

std::optional<kernels::Int8Multiplier> multiplier_of_library() {
  if (!library_multiplies()) return std::nullopt;
  return kernels::Int8Multiplier{multiply_by_library, kernels::int8_most_rows};
}

kernels::Int8Multiplier multiplier() {
  if (has_tiles())
    if (const auto by_library = multiplier_of_library()) return *by_library;
  return kernels::int8_kernels().multiplier();
}

kernels::ByteRows RowsMemory::get(std::int64_t rows, std::int64_t columns) {
  const std::int64_t all = rows + kernels::int8_most_rows, stride = input_stride(columns);
  return {values.get<std::uint8_t>(all * stride), stride, scales.get<kernels::ByteScale>(all)};
}

Weight pack_weight(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& factors) {
  const std::int64_t columns = weight.size(0), depth = weight.size(1), padded = input_stride(depth);
  GAUSSCSE_CHECK(weight.stride(1) == 1, "a weight whose rows are not contiguous");
  if (depth > largest_depth)
    throw InputError(concat("precision int8: a layer has ", depth, " inputs, and sums of at most ", largest_depth,
                            " products of bytes fit in 32 bits: give ", option_name("precision"), " fp32 or bf16"));
  const std::int64_t panels = (columns + int8_panel - 1) / int8_panel;
  Weight packed{at::zeros({panels, padded * int8_panel}, at::kChar), at::empty({columns}, at::kFloat),
                at::empty({columns}, at::kFloat), bias, columns};
  const float* const factor_values = factors.defined() ? factors.const_data_ptr<float>() : nullptr;
  std::vector<std::int8_t> channel(static_cast<std::size_t>(padded), 0);
  for (std::int64_t c = 0; c < columns; ++c) {
    const float* const from = weight.const_data_ptr<float>() + c * weight.stride(0);
    const float scale = kernels::int8_kernels().quantise_channel(from, factor_values, depth, channel.data());
    packed.scales.mutable_data_ptr<float>()[c] = scale;
    packed.scaled_byte_sums.mutable_data_ptr<float>()[c] =
        scale * static_cast<float>(std::accumulate(channel.begin(), channel.end(), 0));
    std::int8_t* const panel = packed.panels.mutable_data_ptr<std::int8_t>() + c / int8_panel * packed.panels.size(1);
    for (std::int64_t k = 0; k < padded; k += int8_group)
      std::memcpy(panel + k * int8_panel + c % int8_panel * int8_group, channel.data() + k, int8_group);
  }
  return packed;
}

kernels::Int8Linear Weight::linear() const {
  return {.multiplier = multiplier(),
          .panels = panels.const_data_ptr<std::int8_t>(),
          .depth = panels.size(1) / int8_panel,
          .columns = columns,
          .scales = scales.const_data_ptr<float>(),
          .scaled_byte_sums = scaled_byte_sums.const_data_ptr<float>(),
          .bias = bias.const_data_ptr<float>()};
}

TilesInUse::~TilesInUse() {
  if (has_tiles() && library_multiplies()) at::native::cpublas::brgemm_release();
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

}  // namespace gausscse::int8_matmul
