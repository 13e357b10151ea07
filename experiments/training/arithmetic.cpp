#include "experiments/training/arithmetic.hpp"

#include <string>

#include "base/error.hpp"

namespace gausscse {

void check_arithmetic(const Trial& trial, const Provenance& provenance, TrainingObserver& observer) {
  const bool bfloat16 = trial.training.precision == Precision::bfloat16;
  const auto computes_with = [&](std::size_t rank) {
    return concat(
        "kernels for ", provenance.instruction_sets[rank],
        bfloat16 ? concat(", products in bf16 with ", provenance.bfloat16_instructions[rank]) : std::string());
  };
  std::size_t other = 1;
  while (other < provenance.hosts.size() && computes_with(other) == computes_with(0)) ++other;
  if (other >= provenance.hosts.size()) return;
  const std::string difference =
      concat("ranks compute with different instructions, so that the last bits of what they compute differ: rank 0 on ",
             provenance.hosts[0], " has ", computes_with(0), ", rank ", other, " on ", provenance.hosts[other], " has ",
             computes_with(other));
  if (trial.reproducibility == setting::Reproducibility::rank_invariant)
    throw InputError(concat(difference,
                            "; reproducibility: rank_invariant promises the same bits on any ranks: take nodes of one "
                            "kind, give all ranks what the least of them has (GAUSSCSE_INSTRUCTION_SET, "
                            "ONEDNN_MAX_CPU_ISA), or set reproducibility: fast"));
  observer.on_warning(difference);
}

}  // namespace gausscse
