#include "benchmarks/products/instruction_rates.hpp"

#include <immintrin.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

#include "model/matmul/cpu/instruction_loops.hpp"

namespace gausscse::benchmarks {

namespace {

__attribute__((target("avx512f,avx512vnni"))) float repeat_vpdpbusd(long rounds) {
  const __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(-1);
  __m512i sum[sums_of_loop];
  for (__m512i& value : sum) value = _mm512_setzero_si512();
  for (long round = 0; round < rounds; ++round)
    for (__m512i& value : sum) value = _mm512_dpbusd_epi32(value, a, b);
  for (int i = 1; i < sums_of_loop; ++i) sum[0] = _mm512_add_epi32(sum[0], sum[i]);
  return static_cast<float>(_mm512_cvtsi512_si32(sum[0]));
}

struct Instruction {
  const char* precision;
  const char* flag;  ///< as in /proc/cpuinfo
  InstructionLoop loop;
};
const Instruction instructions[] = {{"fp32", "avx512f", fma_loop},
                                    {"bf16", "avx512_bf16", vdpbf16ps_loop},
                                    {"bf16", "avx512_bf16", fma_loop},
                                    {"int8", "avx512_vnni", {repeat_vpdpbusd, 128}}};

bool processor_has(const std::string& flag) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;)
      if (word == flag) return true;
    return false;
  }
  return false;
}

/// Returns the sum over the threads of the best of five runs on each.
double best_rate(const InstructionLoop& loop, int threads) {
  std::vector<double> best(static_cast<std::size_t>(threads), 0);
  std::vector<std::thread> running;
  for (double& rate : best) {
    running.emplace_back([&loop, &rate] {
      for (int repeat = 0; repeat < 5; ++repeat) rate = std::max(rate, rate_of_loop(loop, 4'000'000));
    });
  }
  for (std::thread& thread : running) thread.join();
  return std::accumulate(best.begin(), best.end(), 0.0);
}

}  // namespace

double instruction_rate(const std::string& precision, int threads) {
  double best = 0;
  for (const Instruction& instruction : instructions) {
    if (precision != instruction.precision) continue;
    if (!processor_has(instruction.flag) || (precision != "fp32" && processor_has("amx_tile"))) return 0;
    best = std::max(best, best_rate(instruction.loop, threads));
  }
  return best;
}

}  // namespace gausscse::benchmarks
