#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// Abilities of a GPU, as CUDA numbers them: 90 is the compute capability 9.0.
using ComputeCapability = int;

/// A GPU, or a part of one that is used as one (MIG).
struct Gpu {
  std::string name;  ///< "NVIDIA H200"
  std::string uuid;  ///< "GPU-1a2b...", which no other GPU or part of one has, the same in every process
  std::string pci;   ///< "0000:1b:00.0"
  std::int64_t memory_mb = 0;
  ComputeCapability capability = 0;
  bool operator==(const Gpu&) const = default;
};

/// GPUs that a process sees. Plain data: it can be sent to other ranks, and tests make up their own.
struct GpuInventory {
  enum class State {
    found,         ///< `gpus` are there
    not_built,     ///< this build of the program has no CUDA
    no_driver,     ///< no driver of NVIDIA's is installed, or it cannot be reached from here
    old_driver,    ///< it is older than this program's CUDA
    none_visible,  ///< there is no GPU, or CUDA_VISIBLE_DEVICES names none
    failed         ///< CUDA says `failure`
  };

  State state = State::not_built;
  std::vector<Gpu> gpus = {};  ///< number i is CUDA's device i
  /// Pairs of such numbers that do not reach each other's memory but through the host's.
  std::vector<std::pair<int, int>> not_peers = {};
  std::string failure = {};
  std::optional<std::string> visible_devices = {};  ///< the environment variable CUDA_VISIBLE_DEVICES
  int driver_version = 0;                           ///< version of CUDA that the driver knows; 13000 is 13.0, 0 none
  int runtime_version = 0;                          ///< version of CUDA that the program has
  ComputeCapability least_capability = 0;           ///< least capability that the program's kernels are for
  bool is_mps_served = false;                       ///< true if NVIDIA's MPS serves the node
  std::vector<std::string> device_files = {};       ///< in a build without CUDA: GPUs that it may open, and cannot use
  bool operator==(const GpuInventory&) const = default;
};

/// Looks for them. In a build with CUDA this loads the driver, but begins nothing on a GPU.
GpuInventory look_for_gpus();

/// Sends CUDA's work of this thread, unless it names another GPU, to this number of `look_for_gpus` from now on.
/// Products give the same bits from run to run, float32 ones in float32, and sum those of bfloat16 in float32. Call it
/// before any product. Throws std::logic_error in a build without CUDA.
void use_gpu(int number);

/// Returns the GPUs that the program has kernels for, by number.
std::vector<int> usable_gpus(const GpuInventory& inventory);

/// Returns the reason why none is usable, and the remedy: "no driver ... is here: ...". Empty where one is.
std::string why_no_gpu(const GpuInventory& inventory);

/// Returns "NVIDIA H200 (compute capability 9.0)".
std::string name_of(const Gpu& gpu);

/// Returns "13.0" of 13000.
std::string cuda_version_text(int version);
/// Returns "9.0" of 90.
std::string capability_text(ComputeCapability capability);

/// Returns a text for sending: `parse_gpus(to_text(inventory))` is the same inventory, up to bytes that are no UTF-8.
std::string to_text(const GpuInventory& inventory);
GpuInventory parse_gpus(const std::string& text);

}  // namespace gausscse
