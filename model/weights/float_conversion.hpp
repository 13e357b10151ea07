#pragma once

#include <cstddef>
#include <span>

#include "model/weights/safetensors.hpp"

namespace gausscse {

/// Writes the tensor's values, from F32, F16, BF16 (all exact) or F64 (rounded to nearest), to `values`, which must
/// have as many elements. Throws InputError, naming the tensor, for another dtype.
void copy_to_float32(const TensorEntry& tensor, std::span<float> values);

/// Returns how many of the values are infinite or NaN.
std::size_t count_non_finite(std::span<const float> values);

}  // namespace gausscse
