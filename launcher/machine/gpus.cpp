#include "launcher/machine/gpus.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"

namespace gausscse {

namespace {

using Json = nlohmann::json;

std::string why_none_is_visible(const std::optional<std::string>& visible_devices) {
  if (!visible_devices) return "there is no GPU: take a machine with one";
  if (visible_devices->empty()) return "CUDA_VISIBLE_DEVICES is empty, which hides all GPUs: unset it, or name some";
  return concat("CUDA_VISIBLE_DEVICES is ", quoted(*visible_devices),
                ", and no GPU of that name can be used: unset it, or name those that nvidia-smi -L lists");
}

}  // namespace

std::vector<int> usable_gpus(const GpuInventory& inventory) {
  std::vector<int> usable;
  for (std::size_t i = 0; i < inventory.gpus.size(); ++i)
    if (inventory.gpus[i].capability >= inventory.least_capability) usable.push_back(static_cast<int>(i));
  return usable;
}

std::string why_no_gpu(const GpuInventory& inventory) {
  using State = GpuInventory::State;
  switch (inventory.state) {
    case State::found:
      if (inventory.gpus.empty()) return why_none_is_visible(inventory.visible_devices);
      if (!usable_gpus(inventory).empty()) return {};
      return concat(name_of(inventory.gpus.front()), " is too old: this program has kernels for ",
                    "compute capability ", capability_text(inventory.least_capability), " and later: take a newer GPU");
    case State::not_built:
      return "this build of gausscse has no CUDA: take one that was built with the preset cuda";
    case State::no_driver:
      return "no driver for NVIDIA's GPUs can be reached: install it, and start containers with access to GPUs "
             "(docker run --gpus all, apptainer --nv)";
    case State::old_driver:
      return concat("the driver is for CUDA ", cuda_version_text(inventory.driver_version),
                    " at most, this program has ", cuda_version_text(inventory.runtime_version), ": update the driver");
    case State::none_visible:
      return why_none_is_visible(inventory.visible_devices);
    case State::failed:
      return concat("CUDA cannot be used here; its error is ", quoted(inventory.failure, 200),
                    ": check nvidia-smi and the kernel's log");
  }
  throw std::logic_error("no state of this number");
}

std::string name_of(const Gpu& gpu) {
  return concat(gpu.name, " (compute capability ", capability_text(gpu.capability), ")");
}

std::string cuda_version_text(int version) {
  return concat(version / 1000, ".", version % 1000 / 10);
}

std::string capability_text(ComputeCapability capability) {
  return concat(capability / 10, ".", capability % 10);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Gpu, name, uuid, pci, memory_mb, capability)

std::string to_text(const GpuInventory& inventory) {
  Json text{{"state", static_cast<int>(inventory.state)},
            {"gpus", inventory.gpus},
            {"not_peers", inventory.not_peers},
            {"failure", inventory.failure},
            {"driver_version", inventory.driver_version},
            {"runtime_version", inventory.runtime_version},
            {"least_capability", inventory.least_capability},
            {"is_mps_served", inventory.is_mps_served},
            {"device_files", inventory.device_files}};
  if (inventory.visible_devices) text["visible_devices"] = *inventory.visible_devices;
  // The environment may hold anything.
  return text.dump(-1, ' ', false, Json::error_handler_t::replace);
}

GpuInventory parse_gpus(const std::string& text) {
  const Json json = Json::parse(text);
  GpuInventory inventory;
  inventory.state = static_cast<GpuInventory::State>(json.at("state").get<int>());
  json.at("gpus").get_to(inventory.gpus);
  json.at("not_peers").get_to(inventory.not_peers);
  json.at("failure").get_to(inventory.failure);
  if (json.contains("visible_devices")) inventory.visible_devices = json.at("visible_devices").get<std::string>();
  json.at("driver_version").get_to(inventory.driver_version);
  json.at("runtime_version").get_to(inventory.runtime_version);
  json.at("least_capability").get_to(inventory.least_capability);
  json.at("is_mps_served").get_to(inventory.is_mps_served);
  json.at("device_files").get_to(inventory.device_files);
  return inventory;
}

}  // namespace gausscse
