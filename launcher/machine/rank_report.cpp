#include "launcher/machine/rank_report.hpp"

#include <sys/statvfs.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/available_memory.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/user_paths.hpp"
#include "launcher/machine/cores.hpp"
#include "launcher/machine/mpi_leftovers.hpp"

namespace gausscse {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t megabyte = 1 << 20;
/// Open MPI keeps its buffers between the ranks of a node in /dev/shm.
constexpr std::int64_t least_shared_memory_mb = 64;

std::int64_t free_mb(const char* path) {
  struct statvfs status {};
  if (::statvfs(path, &status) != 0) return -1;
  return static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize) / megabyte;
}

std::string instructions_of(const RankReport& report) {
  return concat(report.instruction_set, " (bf16: ", report.bfloat16_instructions, ")");
}

/// Ranks of the same host whose cores are the same ones, though all of them compute.
void find_shared_cores(const std::string& host, const std::vector<const RankReport*>& ranks,
                       std::vector<std::string>& found) {
  std::set<int> cores;
  std::int64_t threads = 0;
  for (const RankReport* rank : ranks) {
    cores.insert(rank->cores.begin(), rank->cores.end());
    threads += rank->threads;
  }
  const auto available = static_cast<std::int64_t>(cores.size());
  if (threads > available)
    found.push_back(concat(host, ": ", ranks.size(), " ranks with ", threads, " threads in all share ", available,
                           " cores (", ranges_of({cores.begin(), cores.end()}), "): give --threads ",
                           std::max<std::int64_t>(1, available / static_cast<std::int64_t>(ranks.size())),
                           ", fewer ranks, or mpirun --bind-to none"));
}

}  // namespace

RankReport collect_rank_report() {
  RankReport report;
  report.cores = allowed_cores();
  report.memory_mb = available_memory() / megabyte;
  report.shared_memory_mb = free_mb("/dev/shm");
  report.free_disk_mb = free_mb(".");
  report.gpus = look_for_gpus();
  return report;
}

static void to_json(Json& json, const GpuInventory& gpus) {
  json = to_text(gpus);
}

static void from_json(const Json& json, GpuInventory& gpus) {
  gpus = parse_gpus(json.get<std::string>());
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RankReport, host, local_rank, local_size, cores, threads, memory_mb,
                                   shared_memory_mb, free_disk_mb, gpus, versions, instruction_set,
                                   bfloat16_instructions, bfloat16_kernel, mpi_thread_level, start_note, mpi_leftovers)

std::string to_text(const RankReport& report) {
  return Json(report).dump();
}

RankReport parse_report(const std::string& text) {
  return Json::parse(text).get<RankReport>();
}

std::vector<std::string> findings(const std::vector<RankReport>& ranks) {
  std::vector<std::string> found;
  // All ranks of one start have the same.
  if (!ranks.front().start_note.empty()) found.push_back(ranks.front().start_note);
  std::map<std::string, std::vector<const RankReport*>> nodes;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    nodes[ranks[rank].host].push_back(&ranks[rank]);
    if (ranks[rank].versions != ranks.front().versions)
      found.push_back(concat("rank ", rank, " on ", ranks[rank].host, " runs ", ranks[rank].versions, ", rank 0 runs ",
                             ranks.front().versions, ": start the same program everywhere"));
    if (instructions_of(ranks[rank]) != instructions_of(ranks.front()))
      found.push_back(concat("rank ", rank, " on ", ranks[rank].host, " computes with ", instructions_of(ranks[rank]),
                             ", rank 0 with ", instructions_of(ranks.front()),
                             ": the last bits of their results differ, and reproducibility: rank_invariant is refused: "
                             "take nodes of one kind"));
  }
  for (const auto& [host, members] : nodes) {
    find_shared_cores(host, members, found);
    const RankReport& any = *members.front();
    if (members.size() > 1 && any.shared_memory_mb < least_shared_memory_mb)
      found.push_back(concat(host, ": /dev/shm has ", std::max<std::int64_t>(0, any.shared_memory_mb),
                             " MB free, MPI between ranks of a node wants at least ", least_shared_memory_mb,
                             ": enlarge it (docker run --shm-size)"));
    if (any.free_disk_mb >= 0 && any.free_disk_mb < 1024)
      found.push_back(concat(host, ": the working folder has ", any.free_disk_mb, " MB free: a model may not fit"));
    if (any.mpi_thread_level != "multiple" && ranks.size() > 1)
      found.push_back(concat(host, ": MPI gives thread level ", any.mpi_thread_level,
                             ", not multiple: a time-out cannot name the ranks that are missing"));
  }
  return found;
}

namespace {

std::string line_of_rank(std::size_t rank, const RankReport& report, const ComputeDevice* device) {
  std::string line =
      concat("rank ", rank, ": host ", report.host, ", local rank ", report.local_rank, " of ", report.local_size,
             ", cores ", ranges_of(report.cores), ", threads ", report.threads, ", kernels for ",
             report.instruction_set, ", bf16 instructions ", report.bfloat16_instructions,
             report.bfloat16_kernel.empty() ? "" : " by ", report.bfloat16_kernel, ", memory ", report.memory_mb,
             " MB, /dev/shm ", report.shared_memory_mb, " MB, disk ", report.free_disk_mb, " MB");
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
                              {"bfloat16_kernel", report.bfloat16_kernel},
                              {"memory_mb", report.memory_mb},
                              {"shared_memory_mb", report.shared_memory_mb},
                              {"free_disk_mb", report.free_disk_mb},
                              {"versions", report.versions},
                              {"mpi_thread_level", report.mpi_thread_level},
                              {"gpus", doctor_json_of(report.gpus)}};
  if (device) json["device"] = device->name;
  if (report.gpus.visible_devices) json["cuda_visible_devices"] = *report.gpus.visible_devices;
  if (!report.mpi_leftovers.empty()) json["mpi_leftovers"] = report.mpi_leftovers;
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
  RankReport own = collect_rank_report();
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
  if (own.local_rank == 0)
    for (const std::filesystem::path& file : mpi_leftovers()) own.mpi_leftovers.push_back(file.string());
  return own;
}

std::string ranks_text(const std::vector<RankReport>& ranks, const std::vector<ComputeDevice>& devices) {
  std::string text = concat(ranks.front().versions, "\nMPI thread level: ", ranks.front().mpi_thread_level, "\n");
  for (std::size_t i = 0; i < ranks.size(); ++i)
    text += line_of_rank(i, ranks[i], devices.empty() ? nullptr : &devices[i]);
  for (const RankReport& rank : ranks)
    if (!rank.mpi_leftovers.empty())
      text +=
          concat("note: host ", rank.host,
                 ": killed ranks left shared memory of Open MPI, which no process that is seen here uses; free it: rm ",
                 joined(rank.mpi_leftovers, " ", [](const std::string& path) { return shell_word(path); }), "\n");
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
