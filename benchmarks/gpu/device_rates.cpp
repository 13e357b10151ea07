#include "benchmarks/gpu/device_rates.hpp"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>

namespace gausscse::benchmarks {

double measured_copy_rate(CaseTimer& timer, at::Device device, bool small) {
  const std::int64_t bytes = small ? 1 << 16 : std::int64_t{1} << 30;
  const at::Tensor from = at::zeros({bytes / 4}, at::TensorOptions(device).dtype(at::kFloat)),
                   to = at::empty_like(from);
  return 2 * static_cast<double>(bytes) / timer.median([&] { to.copy_(from); }).seconds;
}

}  // namespace gausscse::benchmarks
