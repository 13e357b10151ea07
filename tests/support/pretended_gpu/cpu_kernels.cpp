#include <cstring>
#include <memory>
#include <vector>

#include "tests/support/pretended_gpu/kernels.hpp"

namespace gausscse::pretended_gpu {

namespace {

using kernels::AdamWStep;
using kernels::AdamWValues;
using kernels::KernelContext;
using kernels::Kernels;

/// Returns the CPU's kernels, which keep marks of blocks at rest, for values that have none.
template <typename T, typename Factor>
const Kernels<T, Factor>& without_marks() {
  static const Kernels<T, Factor> table = [] {
    Kernels<T, Factor> kernels = kernels::kernel_table<T, Factor>();
    kernels.adamw = [](const KernelContext& context, const AdamWValues<T>& values, const AdamWStep& step) {
      const auto marks = std::make_unique<bool[]>(static_cast<std::size_t>(values.count / kernels::adamw_block + 1));
      AdamWValues<T> marked = values;
      marked.at_rest = marks.get();
      marked.rounded = nullptr;
      kernels::kernel_table<T, Factor>().adamw(context, marked, step);
      if (!values.rounded) return;
      std::vector<T> rounded(static_cast<std::size_t>(values.count));
      kernels::kernel_table<T, Factor>().round_to_bfloat16(context, values.value, values.count, rounded.data());
      for (std::int64_t i = 0; i < values.count; ++i) {
        std::uint32_t bits;
        std::memcpy(&bits, &rounded[static_cast<std::size_t>(i)], sizeof bits);
        values.rounded[i].bits = static_cast<std::uint16_t>(bits >> 16);
      }
    };
    return kernels;
  }();
  return table;
}

}  // namespace

template <>
const Kernels<float, float>& kernels_behind<float, float>() {
  return without_marks<float, float>();
}

template <>
const Kernels<float, kernels::Bfloat16>& kernels_behind<float, kernels::Bfloat16>() {
  return without_marks<float, kernels::Bfloat16>();
}

}  // namespace gausscse::pretended_gpu
