#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "config/trial/trial_choices.hpp"
#include "dist/control_group.hpp"
#include "launcher/machine/gpus.hpp"

namespace gausscse {

/// Request of a user for a device; it must be the same on all ranks.
struct DeviceRequest {
  setting::Device choice = setting::Device::automatic;
  bool share_gpu = false;  ///< ranks may compute on one GPU together
  /// Tensors on GPUs go through collectives, for which a transport has to start. A command that only embeds exchanges
  /// results on the CPU.
  bool collectives = false;
};

/// A rank as the choice sees it.
struct RankGpus {
  std::string host;
  GpuInventory inventory;
};

/// Device that a rank computes on.
struct ComputeDevice {
  at::Device device = at::kCPU;
  std::string name = "cpu";      ///< for people: "cpu", "NVIDIA H200 (compute capability 9.0)"
  bool gpus_are_shared = false;  ///< true if any two ranks compute on one GPU, which NCCL refuses
  std::string note = {};         ///< why it is no GPU, or why GPUs are left out; empty where there is nothing to report
};

/// Returns the device of each rank. On GPUs each rank has its own: the first that it sees and no rank before it has.
/// Ranks may see all GPUs of their node, or each its own alone (CUDA_VISIBLE_DEVICES). With `share_gpu` a rank has the
/// one that the fewest ranks before it have. `automatic` is the CPU where no rank has a GPU that it can use. Throws
/// InputError where a GPU is asked for and a rank has none, where only some ranks have one, and where ranks would share
/// one unasked.
std::vector<ComputeDevice> choose_devices(const DeviceRequest& request, const std::vector<RankGpus>& ranks);

/// Returns this rank's of them. Throws InputError also where the ranks are asked for different things. Collective; an
/// exception is thrown on all ranks.
ComputeDevice choose_device(const DeviceRequest& request, const RankGpus& own, ControlGroup& group);

}  // namespace gausscse
