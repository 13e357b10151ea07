#include "model/matmul/cpu/instruction_loops.hpp"

#include <immintrin.h>
#include <time.h>

namespace gausscse {

namespace {

__attribute__((target("avx512f"))) float repeat_fma(long rounds) {
  const __m512 a = _mm512_set1_ps(1e-3f);
  __m512 sum[sums_of_loop];
  for (__m512& value : sum) value = _mm512_setzero_ps();
  for (long round = 0; round < rounds; ++round)
    for (__m512& value : sum) value = _mm512_fmadd_ps(a, a, value);
  for (int i = 1; i < sums_of_loop; ++i) sum[0] = _mm512_add_ps(sum[0], sum[i]);
  return _mm512_cvtss_f32(sum[0]);
}

__attribute__((target("avx512f,avx512bf16"))) float repeat_vdpbf16ps(long rounds) {
  const __m512bh a = _mm512_cvtne2ps_pbh(_mm512_set1_ps(1e-3f), _mm512_set1_ps(1e-3f));
  __m512 sum[sums_of_loop];
  for (__m512& value : sum) value = _mm512_setzero_ps();
  for (long round = 0; round < rounds; ++round)
    for (__m512& value : sum) value = _mm512_dpbf16_ps(value, a, a);
  for (int i = 1; i < sums_of_loop; ++i) sum[0] = _mm512_add_ps(sum[0], sum[i]);
  return _mm512_cvtss_f32(sum[0]);
}

/// Keeps results alive, so that no loop is left out.
thread_local volatile float last_sum_of_loop;

/// Returns the processor time of this thread, which other programs hardly change.
double seconds_of_thread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

const InstructionLoop fma_loop{repeat_fma, 32};
const InstructionLoop vdpbf16ps_loop{repeat_vdpbf16ps, 64};

double rate_of_loop(const InstructionLoop& loop, long rounds) {
  const double begin = seconds_of_thread();
  last_sum_of_loop = loop.run(rounds);
  return loop.operations_of_register * sums_of_loop * static_cast<double>(rounds) / (seconds_of_thread() - begin);
}

}  // namespace gausscse
