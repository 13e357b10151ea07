#include "model/ops/sum_in_order.hpp"

#include <ATen/ops/full.h>
#include <ATen/ops/sum.h>

#include <numeric>

#include "base/error.hpp"

namespace gausscse::ops {

at::Tensor sum_in_order(const at::Tensor& values) {
  GAUSSCSE_CHECK(values.scalar_type() == at::kDouble && values.is_contiguous(), "contiguous float64 values");
  if (!values.is_cpu()) return values.sum();
  const auto* begin = values.const_data_ptr<double>();
  return at::full({}, std::accumulate(begin, begin + values.numel(), 0.0), at::kDouble);
}

}  // namespace gausscse::ops
