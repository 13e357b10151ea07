#include "results/different_instructions.hpp"

#include "base/error.hpp"

namespace gausscse {

std::optional<std::string> different_instructions(const Provenance& provenance, bool bfloat16) {
  const auto computes_with = [&](std::size_t rank) {
    return concat(
        "kernels for ", provenance.instruction_sets[rank],
        bfloat16 ? concat(", products in bf16 with ", provenance.bfloat16_instructions[rank]) : std::string());
  };
  // Hosts of GPUs compute nothing whose bits anybody compares; ranks are all on GPUs, or none is.
  if (!provenance.devices.empty() && provenance.devices[0] != "cpu") return std::nullopt;
  std::size_t other = 1;
  while (other < provenance.hosts.size() && computes_with(other) == computes_with(0)) ++other;
  if (other >= provenance.hosts.size()) return std::nullopt;
  return concat("ranks compute with different instructions, so the last bits of their results differ: rank 0 on ",
                provenance.hosts[0], " has ", computes_with(0), ", rank ", other, " on ", provenance.hosts[other],
                " has ", computes_with(other));
}

}  // namespace gausscse
