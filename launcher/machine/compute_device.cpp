#include "launcher/machine/compute_device.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "dist/group_work.hpp"

namespace gausscse {

namespace {

/// Returns "rank 3 on node1".
std::string rank_text(const std::vector<RankGpus>& ranks, std::size_t rank) {
  return concat("rank ", rank, " on ", ranks[rank].host);
}

/// Returns the ranks that have a GPU they can use, or have none.
std::vector<std::size_t> ranks_with(bool usable, const std::vector<RankGpus>& ranks) {
  std::vector<std::size_t> found;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (usable_gpus(ranks[rank].inventory).empty() != usable) found.push_back(rank);
  return found;
}

[[noreturn]] void throw_no_gpu(const std::vector<RankGpus>& ranks, const std::vector<std::size_t>& without) {
  const std::size_t first = without.front();
  throw InputError(concat(
      "device cuda: ", ranks.size() > 1 ? rank_text(ranks, first) + ": " : "", why_no_gpu(ranks[first].inventory),
      "; or give --device cpu",
      without.size() > 1 ? concat(" (", without.size(), " of ", ranks.size(), " ranks have no GPU that they can use)")
                         : ""));
}

[[noreturn]] void throw_different_kinds(const std::vector<RankGpus>& ranks, std::size_t with, std::size_t without) {
  throw InputError(
      concat("device auto: ranks would compute on different kinds of device: ", rank_text(ranks, with), " has ",
             name_of(ranks[with].inventory.gpus[static_cast<std::size_t>(usable_gpus(ranks[with].inventory).front())]),
             ", ", rank_text(ranks, without), " has no GPU: ", why_no_gpu(ranks[without].inventory),
             "; or give --device cpu, or nodes that all have GPUs"));
}

/// Throws InputError as rank `rank` finds all GPUs taken that it can use.
[[noreturn]] void throw_taken(const std::vector<RankGpus>& ranks, std::size_t rank,
                              const std::map<std::string, std::size_t>& first_rank_of) {
  const std::string& host = ranks[rank].host;
  std::size_t ranks_there = 0;
  std::set<std::string> gpus_there;
  for (const RankGpus& each : ranks) {
    if (each.host != host) continue;
    ++ranks_there;
    for (const int gpu : usable_gpus(each.inventory))
      gpus_there.insert(each.inventory.gpus[static_cast<std::size_t>(gpu)].uuid);
  }
  const GpuInventory& own = ranks[rank].inventory;
  const Gpu& gpu = own.gpus[static_cast<std::size_t>(usable_gpus(own).front())];
  const bool fewer = gpus_there.size() < ranks_there;
  throw InputError(concat(
      host, ": ", ranks_there, " ranks for ", gpus_there.size(), " GPUs",
      fewer ? "" : ", but some ranks see only the same one", ": rank ", rank, " would compute on the same GPU as rank ",
      first_rank_of.at(gpu.uuid), ", ", gpu.name, " ", gpu.uuid,
      own.visible_devices ? concat(" (its CUDA_VISIBLE_DEVICES is ", quoted(*own.visible_devices, 200), ")") : "",
      ": start ",
      fewer ? concat("at most ", counted(static_cast<std::int64_t>(gpus_there.size()), "rank"), " there")
            : "each rank with its own GPU",
      ", give --device cpu, or --share-gpu, by which ranks share GPUs and are slower"));
}

ComputeDevice on_gpu(const GpuInventory& inventory, int number) {
  ComputeDevice chosen{.device = at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(number)),
                       .name = name_of(inventory.gpus[static_cast<std::size_t>(number)])};
  for (const Gpu& gpu : inventory.gpus)
    if (gpu.capability < inventory.least_capability)
      chosen.note = concat(name_of(gpu), " is left out: this program has kernels for compute capability ",
                           capability_text(inventory.least_capability), " and later");
  return chosen;
}

std::vector<ComputeDevice> on_gpus(bool share_gpu, const std::vector<RankGpus>& ranks) {
  std::vector<ComputeDevice> chosen;
  std::map<std::string, std::size_t> ranks_of, first_rank_of;  // by the GPU's own name
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const GpuInventory& inventory = ranks[rank].inventory;
    const auto uuid = [&](int gpu) -> const std::string& { return inventory.gpus[static_cast<std::size_t>(gpu)].uuid; };
    const std::vector<int> usable = usable_gpus(inventory);
    const int gpu = *std::min_element(usable.begin(), usable.end(),
                                      [&](int one, int other) { return ranks_of[uuid(one)] < ranks_of[uuid(other)]; });
    if (ranks_of[uuid(gpu)]++ == 0)
      first_rank_of[uuid(gpu)] = rank;
    else if (!share_gpu)
      throw_taken(ranks, rank, first_rank_of);
    chosen.push_back(on_gpu(inventory, gpu));
  }
  for (ComputeDevice& each : chosen) each.gpus_are_shared = first_rank_of.size() < ranks.size();
  return chosen;
}

/// Returns why `automatic` is the CPU. Nothing where no one could expect a GPU.
std::string note_of_cpu(const GpuInventory& inventory) {
  if (inventory.state != GpuInventory::State::not_built) return concat("no GPU is used: ", why_no_gpu(inventory));
  if (inventory.device_files.empty()) return {};
  return concat("the GPUs of this machine are not used: ", why_no_gpu(inventory));
}

}  // namespace

std::vector<ComputeDevice> choose_devices(const DeviceRequest& request, const std::vector<RankGpus>& ranks) {
  if (request.choice == setting::Device::cpu) return std::vector<ComputeDevice>(ranks.size());
  const std::vector<std::size_t> with = ranks_with(true, ranks), without = ranks_with(false, ranks);
  if (without.empty()) return on_gpus(request.share_gpu, ranks);
  if (request.choice == setting::Device::cuda) throw_no_gpu(ranks, without);
  if (!with.empty()) throw_different_kinds(ranks, with.front(), without.front());
  std::vector<ComputeDevice> chosen;
  for (const RankGpus& rank : ranks) chosen.push_back({.note = note_of_cpu(rank.inventory)});
  return chosen;
}

ComputeDevice choose_device(const DeviceRequest& request, const RankGpus& own, ControlGroup& group) {
  check_agreement(group, "the device",
                  concat("device ", name_of(request.choice), "\nGPUs ",
                         request.share_gpu ? "may be shared" : "are not shared", "\n"));
  const std::vector<std::string> hosts = group.all_gather_text(own.host);
  const std::vector<std::string> inventories = group.all_gather_text(to_text(own.inventory));
  std::vector<RankGpus> ranks;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) ranks.push_back({hosts[rank], parse_gpus(inventories[rank])});
  return choose_devices(request, ranks)[static_cast<std::size_t>(group.rank())];
}

}  // namespace gausscse
