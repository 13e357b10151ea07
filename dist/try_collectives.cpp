#include "dist/try_collectives.hpp"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gausscse {

namespace {

void check(const char* what, const at::Tensor& numbers, double expected, const ControlGroup& ranks,
           const Collectives& collectives) {
  const at::Tensor found = numbers.to(at::kCPU);
  for (std::int64_t i = 0; i < found.numel(); ++i) {
    const double value = found[i].item<double>();
    if (value == expected) continue;
    throw SystemError(
        concat("the transport ", quoted(collectives.name()), " gives wrong numbers on rank ", ranks.rank(), " (",
               host_name(), "): ", what, " is ", value, " for ", expected, " at element ", i,
               ", so a training would give wrong results: check the device and the network, or leave the rank out"));
  }
}

}  // namespace

void try_collectives(const ControlGroup& ranks, Collectives& collectives, at::Device device) {
  const int rank = ranks.rank(), size = ranks.size();
  constexpr std::int64_t elements = 1024;
  const at::TensorOptions options = at::TensorOptions(device).dtype(at::kFloat);
  const at::Tensor sum = at::full({elements}, rank + 1, options);
  collectives.all_reduce_sum(sum);
  check("a sum over ranks", sum, 0.5 * size * (size + 1), ranks, collectives);
  const at::Tensor own = at::full({elements}, rank, options), received = at::empty_like(own);
  collectives.ring_shift(own, std::vector<std::int64_t>(static_cast<std::size_t>(size), elements), received);
  check("what the rank before sent", received, (rank + size - 1) % size, ranks, collectives);
}

}  // namespace gausscse
