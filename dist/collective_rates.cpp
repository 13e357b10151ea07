#include "dist/collective_rates.hpp"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gausscse {

namespace {

constexpr int repeats = 3;

/// Waits until the device has the values that the call left in `result`.
void wait_for(const at::Tensor& result) {
  if (!result.is_cpu() && result.numel() > 0) (void)result.narrow(0, 0, 1).cpu();
}

double seconds_of(Communicator& communicator, const at::Tensor& result, const std::function<void()>& call) {
  double best = 0;
  for (int i = 0; i < repeats; ++i) {
    communicator.barrier();
    const auto begin = std::chrono::steady_clock::now();
    call();
    wait_for(result);
    // Done when the slowest rank is.
    communicator.barrier();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = i == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

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

std::vector<CollectiveRate> measure_collectives(Communicator& communicator, at::Device device, std::int64_t elements) {
  const auto size = static_cast<std::int64_t>(communicator.size());
  const std::int64_t part = elements / size;
  const std::vector<std::int64_t> parts(static_cast<std::size_t>(size), part);
  const std::vector<std::int64_t> wholes(static_cast<std::size_t>(size), part * size);
  const at::TensorOptions options = at::TensorOptions().dtype(at::kFloat).device(device);
  const at::Tensor whole = at::ones({part * size}, options), own = at::ones({part}, options);
  const at::Tensor received = at::empty_like(whole);

  std::vector<CollectiveRate> rates;
  const auto measure = [&](const char* name, const at::Tensor& result, const std::function<void()>& call) {
    rates.push_back({name, seconds_of(communicator, result, call), static_cast<double>(whole.nbytes())});
  };
  rates.push_back({"barrier", seconds_of(communicator, own, [&] { communicator.barrier(); }), 0});
  measure("all_reduce_sum", whole, [&] { communicator.all_reduce_sum(whole); });
  measure("all_gather", received, [&] { communicator.all_gather(own, parts, received); });
  measure("reduce_scatter_sum", own, [&] { communicator.reduce_scatter_sum(whole, parts, own); });
  measure("all_to_all", received, [&] { communicator.all_to_all(whole, parts, received); });
  measure("ring_shift", received, [&] { communicator.ring_shift(whole, wholes, received); });
  measure("broadcast", whole, [&] { communicator.broadcast(whole, 0); });
  return rates;
}

std::string to_text(const std::vector<CollectiveRate>& rates) {
  std::string text;
  char line[96];
  for (const CollectiveRate& rate : rates) {
    std::snprintf(line, sizeof line, "  %-20s %10.3f ms", rate.name.c_str(), 1e3 * rate.seconds);
    text += line;
    if (rate.bytes > 0) {
      std::snprintf(line, sizeof line, "  %8.2f GB/s", rate.bytes / rate.seconds / 1e9);
      text += line;
    }
    text += "\n";
  }
  return text;
}

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
