#include "benchmarks/products/instruction_rates.hpp"

#include <immintrin.h>
#include <time.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

namespace gausscse::benchmarks {

namespace {

/// Independent sums, enough to hide the latency of an instruction, few enough for the registers.
constexpr int sums = 16;
constexpr long rounds = 4'000'000;

__attribute__((target("avx512f"))) float multiply_fp32() {
  const __m512 a = _mm512_set1_ps(1e-3f), b = _mm512_set1_ps(1e-3f);
  __m512 sum[sums];
  for (__m512& value : sum) value = _mm512_setzero_ps();
  for (long round = 0; round < rounds; ++round)
    for (__m512& value : sum) value = _mm512_fmadd_ps(a, b, value);
  for (int i = 1; i < sums; ++i) sum[0] = _mm512_add_ps(sum[0], sum[i]);
  return _mm512_cvtss_f32(sum[0]);
}

__attribute__((target("avx512f,avx512bf16"))) float multiply_bf16() {
  const __m512bh a = _mm512_cvtne2ps_pbh(_mm512_set1_ps(1e-3f), _mm512_set1_ps(1e-3f));
  __m512 sum[sums];
  for (__m512& value : sum) value = _mm512_setzero_ps();
  for (long round = 0; round < rounds; ++round)
    for (__m512& value : sum) value = _mm512_dpbf16_ps(value, a, a);
  for (int i = 1; i < sums; ++i) sum[0] = _mm512_add_ps(sum[0], sum[i]);
  return _mm512_cvtss_f32(sum[0]);
}

__attribute__((target("avx512f,avx512vnni"))) float multiply_int8() {
  const __m512i a = _mm512_set1_epi8(3), b = _mm512_set1_epi8(-1);
  __m512i sum[sums];
  for (__m512i& value : sum) value = _mm512_setzero_si512();
  for (long round = 0; round < rounds; ++round)
    for (__m512i& value : sum) value = _mm512_dpbusd_epi32(value, a, b);
  for (int i = 1; i < sums; ++i) sum[0] = _mm512_add_epi32(sum[0], sum[i]);
  return static_cast<float>(_mm512_cvtsi512_si32(sum[0]));
}

struct Instruction {
  const char* precision;
  const char* flag;  ///< as in /proc/cpuinfo
  float (*multiply)();
  double operations;  ///< multiplications and additions of one instruction
};
constexpr Instruction instructions[] = {{"fp32", "avx512f", multiply_fp32, 32},
                                        {"bf16", "avx512_bf16", multiply_bf16, 64},
                                        {"int8", "avx512_vnni", multiply_int8, 128}};

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

/// Keeps results alive, so that no loop is left out.
thread_local volatile float kept;

/// Returns the processor time of this thread.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Returns the least processor time of five runs on each of the threads, so that other programs hardly count.
double least_seconds(float (*multiply)(), int threads) {
  std::vector<double> least(static_cast<std::size_t>(threads), 1e30);
  std::vector<std::thread> running;
  for (double& seconds : least) {
    running.emplace_back([multiply, &seconds] {
      for (int repeat = 0; repeat < 5; ++repeat) {
        const double begin = thread_seconds();
        kept = multiply();
        seconds = std::min(seconds, thread_seconds() - begin);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  return *std::max_element(least.begin(), least.end());
}

}  // namespace

double instruction_rate(const std::string& precision, int threads) {
  for (const Instruction& instruction : instructions) {
    if (precision != instruction.precision) continue;
    if (!processor_has(instruction.flag) || (precision != "fp32" && processor_has("amx_tile"))) return 0;
    return instruction.operations * sums * static_cast<double>(rounds) * threads /
           least_seconds(instruction.multiply, threads);
  }
  return 0;
}

}  // namespace gausscse::benchmarks
