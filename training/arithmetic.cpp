#include "training/arithmetic.hpp"

#include <algorithm>
#include <optional>
#include <set>
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

std::string arithmetic_text(const Provenance& provenance) {
  std::string text;
  for (const auto& [name, version] : provenance.libraries) text += concat("library ", name, " ", version, "\n");
  for (const auto* of_ranks : {&provenance.devices, &provenance.instruction_sets, &provenance.bfloat16_instructions})
    for (const std::string& each : std::set<std::string>(of_ranks->begin(), of_ranks->end())) text += each + "\n";
  const bool on_cpus = std::all_of(provenance.devices.begin(), provenance.devices.end(),
                                   [](const std::string& device) { return device == "cpu"; });
  return on_cpus ? text : concat(text, "ranks ", provenance.ranks, "\n");
}

}  // namespace gausscse
