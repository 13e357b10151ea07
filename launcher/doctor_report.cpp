#include "launcher/doctor_report.hpp"

#include <nlohmann/json.hpp>
#include <utility>

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

nlohmann::ordered_json doctor_json_of(const GpuInventory& inventory) {
  nlohmann::ordered_json gpus = nlohmann::ordered_json::array();
  for (const Gpu& gpu : inventory.gpus)
    gpus.push_back({{"name", gpu.name},
                    {"uuid", gpu.uuid},
                    {"pci", gpu.pci},
                    {"memory_mb", gpu.memory_mb},
                    {"compute_capability", capability_text(gpu.capability)}});
  return gpus;
}

nlohmann::ordered_json doctor_json_of_rank(std::size_t rank, const RankReport& report, const ComputeDevice* device) {
  nlohmann::ordered_json json{{"rank", rank},
                              {"host", report.host},
                              {"local_rank", report.local_rank},
                              {"local_size", report.local_size},
                              {"cores", report.cores},
                              {"threads", report.threads},
                              {"instruction_set", report.instruction_set},
                              {"bfloat16_instructions", report.bfloat16_instructions},
                              {"memory_mb", report.memory_mb},
                              {"shared_memory_mb", report.shared_memory_mb},
                              {"free_disk_mb", report.free_disk_mb},
                              {"versions", report.versions},
                              {"mpi_thread_level", report.mpi_thread_level},
                              {"gpus", doctor_json_of(report.gpus)}};
  if (device) json["device"] = device->name;
  if (report.gpus.visible_devices) json["cuda_visible_devices"] = *report.gpus.visible_devices;
  return json;
}

nlohmann::ordered_json doctor_json_of(const MeasuredCollectives& measured) {
  nlohmann::ordered_json calls = nlohmann::ordered_json::object();
  for (const CollectiveRate& rate : measured.rates) {
    calls[rate.name] = {{"seconds", rate.seconds}};
    if (rate.bytes > 0) calls[rate.name]["bytes_per_second"] = rate.bytes / rate.seconds;
  }
  return {{"device", measured.device},
          {"transport", measured.transport},
          {"bytes", measured.bytes},
          {"calls", std::move(calls)}};
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

std::string doctor_json(const Diagnosis& diagnosis) {
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array(), collectives = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < diagnosis.ranks.size(); ++i)
    ranks.push_back(
        doctor_json_of_rank(i, diagnosis.ranks[i], diagnosis.devices.empty() ? nullptr : &diagnosis.devices[i]));
  for (const MeasuredCollectives& measured : diagnosis.collectives) collectives.push_back(doctor_json_of(measured));
  const nlohmann::ordered_json json{{"format", "gausscse-doctor/1"},
                                    {"ranks", std::move(ranks)},
                                    {"problems", diagnosis.problems},
                                    {"collectives", std::move(collectives)}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace gausscse
