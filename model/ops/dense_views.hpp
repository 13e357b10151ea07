#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <cstdint>

namespace gausscse::dense_tensors {

using Dimensions = c10::SmallVector<std::int64_t, 5>;

/// Returns whether the functions of dense_tensors.hpp take this tensor: it is on the CPU, has strides, and needs no
/// gradient of LibTorch's.
bool is_dense(const at::Tensor& tensor);

bool has_dimension(const at::Tensor& self, std::int64_t dimension);

/// Returns the view of every `step`-th of the indices [begin, end) of a dimension.
at::Tensor part_of(const at::Tensor& self, std::int64_t dimension, std::int64_t begin, std::int64_t end,
                   std::int64_t step = 1);

}  // namespace gausscse::dense_tensors
