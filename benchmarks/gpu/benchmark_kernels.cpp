// Times the kernels of one device next to the least time that their memory traffic and their operations take. Prints
// JSON, a line for the device and one for each case. See docs/developers/gpu_checks.md.

#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "benchmarks/gpu/case_timer.hpp"
#include "benchmarks/gpu/device_rates.hpp"
#include "benchmarks/gpu/measured_case.hpp"
#include "launcher/machine/gpus.hpp"

namespace gausscse::benchmarks {

namespace {

using Json = nlohmann::ordered_json;

CaseList all_cases(const Workload& workload) {
  CaseList cases;
  add_row_cases(workload, cases);
  add_attention_cases(workload, cases);
  add_loss_cases(workload, cases);
  add_optimizer_cases(workload, cases);
  add_product_cases(workload, cases);
  return cases;
}

void print(const Json& line) {
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

DeviceRates measure_device(const Workload& workload, CaseTimer& timer) {
  DeviceRates rates{measured_copy_rate(timer, workload.device, workload.small), 0};
  Json line{{"device", workload.device.str()}};
  if (workload.device.is_cuda()) {
    const GpuProperties gpu = gpu_properties(workload.device);
    rates.operations_per_second = 2.0 * gpu.multiprocessors * gpu.float32_lanes * gpu.clock_hz;
    line.update({{"name", gpu.name},
                 {"compute_capability", gpu.compute_capability},
                 {"multiprocessors", gpu.multiprocessors},
                 {"clock_mhz", gpu.clock_hz / 1e6},
                 {"cuda_runtime", gpu.runtime_version},
                 {"cuda_driver", gpu.driver_version}});
  }
  line["copy_gb_per_second"] = rates.bytes_per_second / 1e9;
  line["float32_tflops"] = rates.operations_per_second / 1e12;
  line["triples"] = workload.triples;
  print(line);
  return rates;
}

/// Returns the line of a case: its time, and the least times of its bytes and of its operations. The latter and the
/// floor are missing for matrix products, whose rate is not that of float32, and where the rate is not known.
Json to_json(const std::string& name, const Cost& cost, const CaseTimer::Median& median, const DeviceRates& rates) {
  const double of_memory = cost.bytes / rates.bytes_per_second;
  Json line{{"case", name},
            {"microseconds", 1e6 * median.seconds},
            {"runs", median.runs},
            {"bytes", cost.bytes},
            {"operations", cost.operations},
            {"gb_per_second", cost.bytes / median.seconds / 1e9},
            {"tflops", cost.operations / median.seconds / 1e12},
            {"memory_microseconds", 1e6 * of_memory}};
  if (cost.arithmetic == Arithmetic::matmuls || rates.operations_per_second == 0) return line;
  const double of_arithmetic = cost.operations / rates.operations_per_second;
  const double floor = std::max(of_memory, of_arithmetic);
  line.update({{"arithmetic_microseconds", 1e6 * of_arithmetic},
               {"floor_microseconds", 1e6 * floor},
               {"floor_is", of_memory >= of_arithmetic ? "memory" : "arithmetic"},
               {"times_floor", median.seconds / floor}});
  return line;
}

/// Returns the number of cases that failed.
int measure(const CaseList& cases, const std::vector<std::string>& only, const Workload& workload) {
  CaseTimer timer(workload.device, workload.small);
  const DeviceRates rates = measure_device(workload, timer);
  int failed = 0;
  for (const NamedCase& named : cases) {
    const auto is_asked_for = [&](const std::string& part) { return named.name.find(part) != std::string::npos; };
    if (!only.empty() && std::none_of(only.begin(), only.end(), is_asked_for)) continue;
    try {
      const MeasuredCase measured = named.make();
      print(to_json(named.name, measured.cost, timer.median(measured.run), rates));
    } catch (const std::exception& error) {
      // LibTorch's go on with a trace of calls.
      const std::string what = error.what();
      print({{"case", named.name}, {"error", what.substr(0, what.find('\n'))}});
      ++failed;
    }
  }
  return failed;
}

}  // namespace

}  // namespace gausscse::benchmarks

int main(int argc, char** argv) {
  using namespace gausscse::benchmarks;
  CLI::App app("Times the kernels of a device beside their floors; prints JSON, a line for each case");
  std::string device = "cuda";
  std::vector<std::string> only;
  bool list = false, small = false;
  std::int64_t triples = 512;
  app.add_option("--device", device, "cuda, or cpu to see that everything runs")->check(CLI::IsMember({"cuda", "cpu"}));
  app.add_option("--only", only, "cases with one of these in their name");
  app.add_flag("--small", small, "sizes whose times mean nothing, to see that everything runs");
  app.add_option("--triples", triples, "rows of layers are the tokens of three times as many sentences")
      ->check(CLI::PositiveNumber);
  app.add_flag("--list", list, "print the names of all cases of the CPU and stop; a GPU has more");
  CLI11_PARSE(app, argc, argv);
  const c10::InferenceMode no_gradients;
  if (list) {
    for (const NamedCase& named : all_cases({at::kCPU, true})) std::printf("%s\n", named.name.c_str());
    return 0;
  }
  if (device == "cuda" && !at::globalContext().hasCUDA()) {
    std::fprintf(stderr,
                 "benchmark_kernels: no GPU is there, or this build has no CUDA; --device cpu measures a CPU\n");
    return 2;
  }
  // As the program uses one, so that products are those that it has.
  if (device == "cuda") gausscse::use_gpu(0);
  const Workload workload{device == "cuda" ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU), small, triples};
  return measure(all_cases(workload), only, workload) == 0 ? 0 : 1;
}
