#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <initializer_list>

namespace gausscse {

/// The type of tensors that go through one collective. Throws std::logic_error unless all are on the CPU, contiguous,
/// and of one type, float32 or float64: transports take them as plain memory.
at::ScalarType type_of_collective(std::initializer_list<std::reference_wrapper<const at::Tensor>> tensors);

}  // namespace gausscse
