#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dist/control_group.hpp"
#include "launcher/compute_device.hpp"
#include "launcher/rank_report.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Returns the report of this process, a rank of `ranks`. `provenance` has an entry for each rank; `threads` are those
/// that this rank computes with.
RankReport report_of(const Provenance& provenance, const ControlGroup& ranks, std::int64_t threads,
                     const std::string& mpi_thread_level);

/// Returns the lines that doctor prints of all ranks: versions, the thread level of MPI, and a line for each rank.
/// `devices`: the device that each rank computes on; empty where none could be chosen.
std::string ranks_text(const std::vector<RankReport>& ranks, const std::vector<ComputeDevice>& devices);

}  // namespace gausscse
