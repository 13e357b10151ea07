#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "model/tensor/tensor.hpp"

namespace at {

/// Refuses arguments of a function that do not go together.
inline void require(bool condition, const char* what) {
  if (!condition) throw Error(what);
}

/// Elements from which on a loop uses all threads.
constexpr std::int64_t many_elements = 1 << 15;

/// Calls function(count, bytes of each tensor's element, distance to its next one) for runs of elements that lie at
/// even distances, until all elements of tensors of the same sizes were seen once. Runs are seen by several threads.
template <std::size_t n, typename Function>
void walk(const std::array<const Tensor*, n>& tensors, const Function& function) {
  const Tensor& first = *tensors[0];
  if (first.numel() == 0) return;
  // Dimensions that lie behind each other without a gap in each tensor are one, the last first.
  std::vector<std::int64_t> sizes;
  std::vector<std::array<std::int64_t, n>> strides;
  for (std::int64_t d = first.dim(); d-- > 0;) {
    const std::int64_t size = first.size(d);
    if (size == 1) continue;
    std::array<std::int64_t, n> of_dimension;
    for (std::size_t i = 0; i < n; ++i) of_dimension[i] = tensors[i]->stride(d) * tensors[i]->element_size();
    bool joins = !sizes.empty();
    for (std::size_t i = 0; joins && i < n; ++i) joins = of_dimension[i] == strides.back()[i] * sizes.back();
    if (joins) {
      sizes.back() *= size;
    } else {
      sizes.push_back(size);
      strides.push_back(of_dimension);
    }
  }
  if (sizes.empty()) {
    sizes.push_back(1);
    strides.push_back({});
  }
  std::array<char*, n> begin;
  for (std::size_t i = 0; i < n; ++i) begin[i] = static_cast<char*>(tensors[i]->mutable_data_ptr());
  // A task is a part of a run.
  const std::int64_t length = sizes[0], part = std::min(length, many_elements);
  const std::int64_t parts = (length + part - 1) / part;
  const std::int64_t tasks = first.numel() / length * parts;
#pragma omp parallel for schedule(static) if (first.numel() > many_elements)
  for (std::int64_t task = 0; task < tasks; ++task) {
    const std::int64_t skipped = task % parts * part;
    std::array<char*, n> place = begin;
    for (std::size_t i = 0; i < n; ++i) place[i] += skipped * strides[0][i];
    std::int64_t rest = task / parts;
    for (std::size_t d = 1; d < sizes.size(); rest /= sizes[d++])
      for (std::size_t i = 0; i < n; ++i) place[i] += rest % sizes[d] * strides[d][i];
    function(std::min(part, length - skipped), place, strides[0]);
  }
}

/// Sets each element of `out` to function of those of `inputs`, tensors of its sizes whose elements are of these types.
/// `out` may be one of them.
template <typename Out, typename... In, typename Function, typename... Inputs>
void map_to(const Tensor& out, const Function& function, const Inputs&... inputs) {
  constexpr std::size_t n = 1 + sizeof...(In);
  walk<n>({&out, &inputs...},
          [&](std::int64_t count, const std::array<char*, n>& place, const std::array<std::int64_t, n>& strides) {
            const auto run = [&]<std::size_t... i>(std::index_sequence<i...>) {
              if (strides[0] == sizeof(Out) && ((strides[i + 1] == sizeof(In)) && ...)) {
                for (std::int64_t k = 0; k < count; ++k)
                  reinterpret_cast<Out*>(place[0])[k] =
                      static_cast<Out>(function(reinterpret_cast<const In*>(place[i + 1])[k]...));
                return;
              }
              for (std::int64_t k = 0; k < count; ++k)
                *reinterpret_cast<Out*>(place[0] + k * strides[0]) =
                    static_cast<Out>(function(*reinterpret_cast<const In*>(place[i + 1] + k * strides[i + 1])...));
            };
            run(std::index_sequence_for<In...>{});
          });
}

/// Type that two tensors' elements are brought to: the higher one, where a tensor without dimensions counts only if it
/// is of a higher kind.
ScalarType joint_type(const Tensor& a, const Tensor& b);
/// Sizes that both tensors are repeated to.
Tensor::Sizes joint_sizes(const Tensor& a, const Tensor& b);

}  // namespace at
