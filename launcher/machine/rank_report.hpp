#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dist/collective_rates.hpp"
#include "dist/control_group.hpp"
#include "launcher/machine/compute_device.hpp"
#include "launcher/machine/gpus.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Properties of the machine that a rank runs on, as the rank sees them.
struct RankReport {
  std::string host;
  int local_rank = 0, local_size = 1;
  std::vector<int> cores;  ///< cores that it may run on
  std::int64_t threads = 1;
  std::int64_t memory_mb = 0;         ///< memory of the node, available
  std::int64_t shared_memory_mb = 0;  ///< free in /dev/shm; -1 where there is none
  std::int64_t free_disk_mb = 0;      ///< in the working folder
  GpuInventory gpus;
  std::string versions;               ///< program and libraries
  std::string instruction_set;        ///< instruction set of the kernels
  std::string bfloat16_instructions;  ///< instructions for products of bfloat16 factors
  std::string bfloat16_kernel;        ///< block_matmul::BlockKernel::description
  std::string mpi_thread_level;
  std::string start_note;                  ///< Process::note
  std::vector<std::string> mpi_leftovers;  ///< paths that `mpi_leftovers` finds; of the first rank of a node
};

/// Returns the report of this process; the caller adds facts of MPI, of the program and of instructions.
RankReport collect_rank_report();

/// Returns a text for sending: `parse_report(to_text(report))` is the same report.
std::string to_text(const RankReport& report);
RankReport parse_report(const std::string& text);

/// Returns the faults in the places of the ranks on their nodes, in words; empty where there are none.
std::vector<std::string> findings(const std::vector<RankReport>& ranks);

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
