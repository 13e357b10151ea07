#pragma once

#include <string>

#include "model/kernels/block_layouts.hpp"
#include "model/matmul/cpu/bfloat16_instructions.hpp"

namespace gausscse::block_matmul {

/// Operations per second of one core by values in registers.
struct InstructionRates {
  double vdpbf16ps, fma;
};

/// The kernel that multiplies blocks of bfloat16.
struct BlockKernel {
  decltype(kernels::BlockLayouts::multiply) multiply = nullptr;  ///< null: that of tiles, at::native::cpublas
  /// Its instruction, and why it was chosen: "fma (176 GFLOP/s a core, vdpbf16ps 85)". Empty where there is no choice:
  /// with AMX, or, in tests, with kernels of an older processor.
  std::string description;
};

/// Returns the kernel of this process, chosen at the first call. With avx512_bf16 two kernels give the same bits: one
/// by vdpbf16ps, one by FMA in float32. On some processors vdpbf16ps takes four times as long as FMA, so a measurement
/// of a millisecond decides, or GAUSSCSE_BF16_KERNEL. As the bits are the same, a result does not depend on the
/// measurement. Throws InputError if the variable is neither "vdpbf16ps" nor "fma".
const BlockKernel& block_kernel();

/// Returns the kernel out of `layouts` for a processor with these instructions. `asked` is the value of
/// GAUSSCSE_BF16_KERNEL, or null; without it `measure` returns the rates.
BlockKernel choose_block_kernel(const kernels::BlockLayouts& layouts, Bfloat16Instructions instructions,
                                const char* asked, InstructionRates (*measure)());

}  // namespace gausscse::block_matmul
