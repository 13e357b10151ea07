#pragma once

#include <string>
#include <vector>

#include "results/run_result.hpp"

namespace gausscse {

/// One line of where a result comes from.
struct ProvenanceRow {
  std::string name;                 ///< for programs: "threads", or that of a library
  std::string title;                ///< for people: "threads of a rank", "library HDF5"
  std::vector<std::string> values;  ///< one, or one of each rank
};

/// Returns the rows of version, commit, ranks, threads, hosts, devices, instructions and libraries, in this order.
/// Hashes of data are not among them.
std::vector<ProvenanceRow> provenance_rows(const Provenance& provenance);

}  // namespace gausscse
