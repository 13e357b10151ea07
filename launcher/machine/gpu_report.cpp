#include "launcher/machine/gpu_report.hpp"

#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// GPUs of a node as its ranks see them together, by their PCI addresses.
struct NodeGpus {
  struct Seen {
    Gpu gpu;
    std::string ranks;  ///< ranks that compute on it: "0, 1"
  };

  std::map<std::string, Seen> gpus;  ///< by PCI address, then the GPU's own name
  std::set<std::string> not_peers;   ///< "0000:1b:00.0 and 0000:2b:00.0"
  bool peers_known = false;          ///< a rank sees two
  bool is_mps_served = false;
};

std::string key_of(const Gpu& gpu) {
  return gpu.pci + " " + gpu.uuid;
}

void add_rank(const GpuInventory& inventory, const ComputeDevice* chosen, std::size_t rank, NodeGpus& node) {
  for (std::size_t i = 0; i < inventory.gpus.size(); ++i) {
    NodeGpus::Seen& seen = node.gpus[key_of(inventory.gpus[i])];
    seen.gpu = inventory.gpus[i];
    if (chosen && chosen->device.is_cuda() && static_cast<std::size_t>(chosen->device.index()) == i)
      seen.ranks += concat(seen.ranks.empty() ? "" : ", ", rank);
  }
  node.peers_known = node.peers_known || inventory.gpus.size() > 1;
  node.is_mps_served = node.is_mps_served || inventory.is_mps_served;
  for (const auto& [one, other] : inventory.not_peers)
    node.not_peers.insert(concat(inventory.gpus[static_cast<std::size_t>(one)].pci, " and ",
                                 inventory.gpus[static_cast<std::size_t>(other)].pci));
}

std::string text_of(const std::string& host, const NodeGpus& node) {
  std::string text;
  for (const auto& [key, seen] : node.gpus) {
    const Gpu& gpu = seen.gpu;
    text += concat(host, ", GPU ", gpu.pci, ": ", gpu.name, ", ", gpu.memory_mb, " MB, compute capability ",
                   capability_text(gpu.capability), ", ", gpu.uuid,
                   seen.ranks.empty() ? ", of no rank" : concat(", of rank ", seen.ranks), "\n");
  }
  for (const std::string& pair : node.not_peers)
    text +=
        concat(host, ": GPUs ", pair, " cannot access each other's memory and exchange data through the ", "host's\n");
  if (!node.gpus.empty())
    text += concat(host, node.is_mps_served ? ": MPS serves it: kernels of processes that share a GPU run at once\n"
                                            : ": without MPS, processes that share a GPU take turns\n");
  if (node.peers_known && node.not_peers.empty()) text += concat(host, ": its GPUs can access each other's memory\n");
  return text;
}

std::string of_build_without_cuda(const std::vector<RankGpus>& ranks) {
  for (const RankGpus& rank : ranks)
    if (!rank.inventory.device_files.empty())
      return concat("GPUs: this build computes on CPUs only, and cannot use those of ", rank.host, " (",
                    rank.inventory.device_files.front(), ")\n");
  return "GPUs: this build computes on CPUs only\n";
}

}  // namespace

std::string gpu_report(const std::vector<RankGpus>& ranks, const std::vector<ComputeDevice>& chosen) {
  const GpuInventory& first = ranks.front().inventory;
  if (first.state == GpuInventory::State::not_built) return of_build_without_cuda(ranks);
  std::string text = concat(
      "GPUs: CUDA ", cuda_version_text(first.runtime_version), ", ",
      first.driver_version > 0 ? concat("driver for CUDA ", cuda_version_text(first.driver_version)) : "no driver",
      ", kernels for compute capability ", capability_text(first.least_capability), " and later\n");
  std::map<std::string, NodeGpus> nodes;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    add_rank(ranks[rank].inventory, chosen.empty() ? nullptr : &chosen[rank], rank, nodes[ranks[rank].host]);
    if (const std::string why = why_no_gpu(ranks[rank].inventory); !why.empty())
      text += concat("rank ", rank, " has no GPU: ", why, "\n");
  }
  for (const auto& [host, node] : nodes) text += text_of(host, node);
  return text;
}

}  // namespace gausscse
