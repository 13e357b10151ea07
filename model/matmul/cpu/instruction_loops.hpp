#pragma once

namespace gausscse {

/// Independent sums of a loop: enough to hide the latency of an instruction, few enough for the registers.
constexpr int sums_of_loop = 16;

/// A loop over one AVX-512 instruction with values in registers, without any memory. A round executes the instruction
/// once for each sum.
struct InstructionLoop {
  float (*run)(long rounds);      ///< returns a value that depends on all sums
  double operations_of_register;  ///< multiplications and additions of one instruction
};

/// Multiplication and addition of float32; needs avx512f.
extern const InstructionLoop fma_loop;
/// Sums of two products of bfloat16; needs avx512_bf16.
extern const InstructionLoop vdpbf16ps_loop;

/// Runs a loop and returns its operations per second of this thread's processor time.
double rate_of_loop(const InstructionLoop& loop, long rounds);

}  // namespace gausscse
