#pragma once

#include <string_view>

namespace gausscse {

/// The instructions that products of bfloat16 factors are computed with, which decides about their last bits.
enum class Bfloat16Instructions {
  none,         ///< none: products are those of float32
  avx512_bf16,  ///< sums of two products at a time, or the same bits by FMA (block_kernel.hpp)
  amx           ///< tiles
};

/// Returns the best that this processor has and the environment allows: ONEDNN_MAX_CPU_ISA, which the library that
/// computes the products reads when a program starts.
Bfloat16Instructions bfloat16_instructions();

/// Returns the instructions of a processor with these `flags` (separated by spaces, as in /proc/cpuinfo) and this
/// limit, in the words of ONEDNN_MAX_CPU_ISA; empty: none.
Bfloat16Instructions bfloat16_instructions(std::string_view flags, std::string_view limit);

/// Returns "none", "avx512_bf16" or "amx".
const char* name_of(Bfloat16Instructions instructions);

}  // namespace gausscse
