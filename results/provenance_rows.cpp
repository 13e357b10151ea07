#include "results/provenance_rows.hpp"

namespace gausscse {

std::vector<ProvenanceRow> provenance_rows(const Provenance& provenance) {
  std::vector<ProvenanceRow> rows{{"version", "version", {provenance.version}},
                                  {"commit", "commit", {provenance.commit}},
                                  {"ranks", "ranks", {std::to_string(provenance.ranks)}},
                                  {"threads", "threads of a rank", {std::to_string(provenance.threads)}},
                                  {"hosts", "hosts", provenance.hosts},
                                  {"devices", "devices", provenance.devices},
                                  {"instruction_sets", "instruction sets", provenance.instruction_sets},
                                  {"bfloat16_instructions", "bfloat16 instructions", provenance.bfloat16_instructions}};
  for (const auto& [library, version] : provenance.libraries)
    rows.push_back({library, "library " + library, {version}});
  return rows;
}

}  // namespace gausscse
