#include "training/arithmetic.hpp"

#include <optional>
#include <string>

#include "base/error.hpp"
#include "results/run_result.hpp"

namespace gausscse {

void check_arithmetic(const Trial& trial, const Provenance& provenance, TrainingObserver& observer) {
  const std::optional<std::string> difference =
      different_instructions(provenance, trial.training.precision != Precision::full);
  if (!difference) return;
  if (trial.reproducibility == setting::Reproducibility::rank_invariant)
    throw InputError(concat(*difference,
                            "; reproducibility: rank_invariant promises the same bits on any ranks: take nodes of one "
                            "kind, restrict all ranks to the instructions of the oldest processor "
                            "(GAUSSCSE_INSTRUCTION_SET, ONEDNN_MAX_CPU_ISA), or set reproducibility: fast"));
  observer.on_warning(*difference);
}

}  // namespace gausscse
