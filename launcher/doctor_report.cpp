#include "launcher/doctor_report.hpp"

#include "base/error.hpp"
#include "launcher/cores.hpp"

namespace gausscse {

namespace {

std::string line_of_rank(std::size_t rank, const RankReport& report, const ComputeDevice* device) {
  std::string line =
      concat("rank ", rank, ": host ", report.host, ", local rank ", report.local_rank, " of ", report.local_size,
             ", cores ", ranges_of(report.cores), ", threads ", report.threads, ", kernels for ",
             report.instruction_set, ", bf16 instructions ", report.bfloat16_instructions, ", memory ",
             report.memory_mb, " MB, /dev/shm ", report.shared_memory_mb, " MB, disk ", report.free_disk_mb, " MB");
  if (device) line += concat(", computes on ", device->name);
  if (report.gpus.visible_devices) line += concat(", CUDA_VISIBLE_DEVICES ", quoted(*report.gpus.visible_devices, 200));
  return line + "\n";
}

}  // namespace

RankReport report_of(const Provenance& provenance, const ControlGroup& ranks, std::int64_t threads,
                     const std::string& mpi_thread_level) {
  RankReport own = look_around();
  const auto rank = static_cast<std::size_t>(ranks.rank());
  own.host = provenance.hosts[rank];
  own.local_rank = ranks.local_rank();
  own.local_size = ranks.local_size();
  own.threads = threads;
  own.versions = concat("gausscse ", provenance.version, " (", provenance.commit, ")");
  for (const auto& [name, version] : provenance.libraries) own.versions += concat(", ", name, " ", version);
  own.instruction_set = provenance.instruction_sets[rank];
  own.bfloat16_instructions = provenance.bfloat16_instructions[rank];
  own.mpi_thread_level = mpi_thread_level;
  return own;
}

std::string ranks_text(const std::vector<RankReport>& ranks, const std::vector<ComputeDevice>& devices) {
  std::string text = concat(ranks.front().versions, "\nMPI thread level: ", ranks.front().mpi_thread_level, "\n");
  for (std::size_t i = 0; i < ranks.size(); ++i)
    text += line_of_rank(i, ranks[i], devices.empty() ? nullptr : &devices[i]);
  return text;
}

}  // namespace gausscse
