#pragma once

#include <string>

namespace gausscse::benchmarks {

/// Returns the operations per second (a multiplication and an addition are two) at which `threads` cores multiply
/// values in registers, without any memory: the peak of every matmul. `precision` is fp32, bf16 (the faster of
/// vdpbf16ps and FMA) or int8. Returns 0 if the processor lacks the AVX-512 instruction for it, or has AMX, which is
/// faster and not measured here.
double instruction_rate(const std::string& precision, int threads);

}  // namespace gausscse::benchmarks
