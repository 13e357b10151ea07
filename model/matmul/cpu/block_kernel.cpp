#include "model/matmul/cpu/block_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "model/matmul/cpu/instruction_loops.hpp"

namespace gausscse::block_matmul {

namespace {

/// FMA must be faster by this factor, as its kernel also widens the factors.
constexpr double least_gain_of_fma = 1.1;

/// Measures both instructions in turn. The best of each counts, as other programs and a processor that has just begun
/// with wide registers only take time away.
InstructionRates measured_rates() {
  constexpr long rounds = 10'000;
  InstructionRates best{};
  for (int repeat = 0; repeat < 5; ++repeat)
    best = {std::max(best.vdpbf16ps, rate_of_loop(vdpbf16ps_loop, rounds)),
            std::max(best.fma, rate_of_loop(fma_loop, rounds))};
  return best;
}

}  // namespace

BlockKernel choose_block_kernel(const kernels::BlockLayouts& layouts, Bfloat16Instructions instructions,
                                const char* asked, InstructionRates (*measure)()) {
  const std::string_view word = asked ? asked : "";
  if (asked && word != "vdpbf16ps" && word != "fma")
    throw InputError(concat("GAUSSCSE_BF16_KERNEL is ", quoted(word), ": give vdpbf16ps or fma"));
  if (instructions != Bfloat16Instructions::avx512_bf16 || !layouts.multiply_by_fma) return {};
  const auto kernel = [&](bool by_fma, const std::string& reason) {
    return BlockKernel{by_fma ? layouts.multiply_by_fma : layouts.multiply,
                       concat(by_fma ? "fma" : "vdpbf16ps", " (", reason, ")")};
  };
  if (asked) return kernel(word == "fma", "set by GAUSSCSE_BF16_KERNEL");
  const InstructionRates rates = measure();
  const long vdpbf16ps = std::lround(rates.vdpbf16ps * 1e-9), fma = std::lround(rates.fma * 1e-9);
  if (rates.fma > least_gain_of_fma * rates.vdpbf16ps)
    return kernel(true, concat(fma, " GFLOP/s a core, vdpbf16ps ", vdpbf16ps));
  return kernel(false, concat(vdpbf16ps, " GFLOP/s a core, fma ", fma));
}

const BlockKernel& block_kernel() {
  static const BlockKernel chosen = choose_block_kernel(kernels::block_layouts(), bfloat16_instructions(),
                                                        std::getenv("GAUSSCSE_BF16_KERNEL"), measured_rates);
  return chosen;
}

}  // namespace gausscse::block_matmul
