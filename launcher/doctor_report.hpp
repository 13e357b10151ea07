#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dist/collective_rates.hpp"
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

/// Times of collectives on one kind of device.
struct MeasuredCollectives {
  std::string device;      ///< "cpu" or "cuda"
  std::string transport;   ///< Communicator::name
  std::int64_t bytes = 0;  ///< size of the tensors
  std::vector<CollectiveRate> rates;
};

/// All that doctor found.
struct Diagnosis {
  std::vector<RankReport> ranks;
  std::vector<ComputeDevice> devices;  ///< device that each rank computes on; empty where none could be chosen
  std::vector<std::string> problems;
  std::vector<MeasuredCollectives> collectives;
};

/// Returns the report that doctor writes for --json ("gausscse-doctor/1"); docs/slurm.md has its members. Ends with a
/// line break.
std::string doctor_json(const Diagnosis& diagnosis);

}  // namespace gausscse
