#include "benchmarks/gpu/case_timer.hpp"

#include <ATen/ops/empty.h>
#include <c10/core/Event.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace gausscse::benchmarks {

namespace {

constexpr int warm_up_runs = 3, most_runs = 20, fewest_runs = 5;
constexpr double longest_seconds = 4;
/// Several times the size of a GPU's cache.
constexpr std::int64_t other_bytes = std::int64_t{256} << 20;

}  // namespace

CaseTimer::CaseTimer(at::Device device, bool small)
    : device_(device),
      most_runs_(small ? 2 : most_runs),
      other_memory_(at::empty({small ? 1 << 10 : other_bytes}, at::TensorOptions(device).dtype(at::kByte))) {}

double CaseTimer::seconds_of(const std::function<void()>& run) {
  other_memory_.zero_();
  if (device_.is_cpu()) {
    const auto begin = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  // The kernels are in the stream before the GPU has written that memory: no time between them is the CPU's.
  const c10::Stream stream = c10::impl::VirtualGuardImpl(device_.type()).getStream(device_);
  c10::Event begin(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  c10::Event end(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
  begin.record(stream);
  run();
  end.record(stream);
  end.synchronize();
  return begin.elapsedTime(end) / 1e3;
}

CaseTimer::Median CaseTimer::median(const std::function<void()>& run) {
  double warm = 0;
  for (int i = 0; i < (most_runs_ < most_runs ? 1 : warm_up_runs); ++i) warm = seconds_of(run);
  int runs = most_runs_;
  if (warm * runs > longest_seconds) runs = std::clamp(static_cast<int>(longest_seconds / warm), fewest_runs, runs);
  std::vector<double> seconds;
  for (int i = 0; i < runs; ++i) seconds.push_back(seconds_of(run));
  std::sort(seconds.begin(), seconds.end());
  const std::size_t middle = seconds.size() / 2;
  return {seconds.size() % 2 ? seconds[middle] : (seconds[middle - 1] + seconds[middle]) / 2, runs};
}

}  // namespace gausscse::benchmarks
