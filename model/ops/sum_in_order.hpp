#pragma once

#include <ATen/core/Tensor.h>

namespace gausscse::ops {

/// Returns the sum of float64 values, a tensor without dimensions on their device, with the same bits from run to run.
/// On the CPU it is added up from the first to the last.
at::Tensor sum_in_order(const at::Tensor& values);

}  // namespace gausscse::ops
