#include "model/matmul/cpu/panel_matmul.hpp"

#include <ATen/Parallel.h>

#include <algorithm>

#include "base/error.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse::panel_matmul {

namespace {

using kernels::panel_width;

/// Rows that are multiplied by a panel at a time: they stay in a core's cache.
constexpr std::int64_t rows_of_block = 96;

const float* floats(const at::Tensor& tensor) {
  return static_cast<const float*>(tensor.const_data_ptr());
}
float* mutable_floats(const at::Tensor& tensor) {
  return static_cast<float*>(tensor.mutable_data_ptr());
}

/// Returns the number of threads for so many additions of products. A thread has at least as many as it could compute
/// while it is woken up.
std::int64_t worthwhile_threads(std::int64_t additions) {
  constexpr std::int64_t additions_of_thread = 1 << 20;
  return std::clamp(additions / additions_of_thread, std::int64_t{1}, std::int64_t{at::get_num_threads()});
}

/// One of even parts of a product: blocks of rows, and in each several groups of panels where there are few rows.
struct Parts {
  std::int64_t blocks, block_rows, groups, group_panels;
};

Parts parts_of(std::int64_t rows, const RightFactor& b, bool packed, std::int64_t threads) {
  const auto parts = [](std::int64_t all, std::int64_t part) { return (all + part - 1) / part; };
  // A panel that is not packed yet is packed once, for all rows.
  if (!packed) return {1, rows, b.panels(), 1};
  const std::int64_t blocks = parts(rows, rows_of_block);
  const std::int64_t groups =
      threads == 1 ? 1 : std::clamp(parts(4 * threads, std::max<std::int64_t>(1, blocks)), std::int64_t{1}, b.panels());
  const std::int64_t group_panels = parts(b.panels(), groups);
  return {blocks, rows_of_block, parts(b.panels(), group_panels), group_panels};
}

}  // namespace

void RightFactor::pack(std::int64_t panel, float* to) const {
  const kernels::PanelMatmul& kernels = kernels::panel_matmul();
  const std::int64_t column = panel * panel_width, count = std::min(panel_width, columns() - column);
  const std::int64_t stride = weight.stride(0);
  if (transposed)
    kernels.pack_transposed(floats(weight) + column * stride, stride, depth(), count, to);
  else
    kernels.pack(floats(weight) + column, stride, depth(), count, to);
}

const float* pack_panels(const RightFactor& factor, ReusedLines& memory) {
  const std::int64_t size = factor.panels() * factor.depth() * panel_width;
  float* const to = memory.get<float>(size);
  constexpr std::int64_t additions_of_copy = 16;  // that take as long as to copy a value
  run_tasks(factor.panels(), static_cast<int>(worthwhile_threads(size * additions_of_copy)),
            [&](std::int64_t panel, int) { factor.pack(panel, to + panel * factor.depth() * panel_width); });
  return to;
}

void multiply(const at::Tensor& a, const RightFactor& b, const float* panels, const Result& result) {
  const std::int64_t rows = a.size(0), depth = b.depth(), columns = b.columns();
  GAUSSCSE_CHECK(a.size(1) == depth && a.stride(1) == 1 && b.weight.stride(1) == 1 && result.out.stride(1) == 1,
                 "a factor that does not fit, or whose rows have gaps");
  const bool has_activation = result.activation.defined();
  const float* const bias = result.bias.defined() ? floats(result.bias) : nullptr;
  const std::int64_t stride = result.out.stride(0);
  const std::int64_t threads = worthwhile_threads(rows * depth * columns);
  const Parts parts = parts_of(rows, b, panels != nullptr, threads);
  const kernels::PanelMatmul& kernels = kernels::panel_matmul();
  run_tasks(parts.blocks * parts.groups, static_cast<int>(threads), [&](std::int64_t task, int) {
    const std::int64_t row = task / parts.groups * parts.block_rows, count = std::min(parts.block_rows, rows - row);
    const std::int64_t first = task % parts.groups * parts.group_panels;
    for (std::int64_t panel = first; panel < std::min(first + parts.group_panels, b.panels()); ++panel) {
      const float* of_panel = nullptr;
      if (panels) {
        of_panel = panels + panel * depth * panel_width;
      } else {
        thread_local ReusedLines memory;
        float* const packed = memory.get<float>(depth * panel_width);
        b.pack(panel, packed);
        of_panel = packed;
      }
      const std::int64_t column = panel * panel_width, place = row * stride + column;
      const std::int64_t panel_columns = std::min(panel_width, columns - column);
      float* const out = mutable_floats(result.out) + place;
      kernels.multiply({.left = floats(a) + row * a.stride(0),
                        .left_stride = a.stride(0),
                        .rows = count,
                        .depth = depth,
                        .panel = of_panel,
                        .bias = bias && !has_activation ? bias + column : nullptr,
                        .columns = panel_columns,
                        .out = out,
                        .out_stride = stride});
      if (has_activation)
        kernels.gelu(out, bias + column, count, panel_columns, stride, mutable_floats(result.activation) + place);
    }
  });
}

}  // namespace gausscse::panel_matmul
