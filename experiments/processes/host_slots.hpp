#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file_calls.hpp"
#include "experiments/processes/machine.hpp"
#include "experiments/processes/trial_launch.hpp"

namespace gausscse {

/// Slots of a worker, and the locks by which other workers of this user on this host leave its cores and GPUs alone.
/// The locks are the kernel's and end with the object, or with the process however that ends.
struct HostSlots {
  std::vector<TrialSlot> slots;
  std::string warning = {};  ///< says that other workers have cores that this one would have used; else empty
  std::vector<FileDescriptor> locks = {};
};

/// Divides the cores and GPUs that no other worker has locked, as `divide_machine` does. Where fewer cores are left
/// than a trial takes, there is one slot that is not bound to cores. Throws as `divide_machine`, and InputError where
/// other workers have the GPUs. `lock_folder` has the locks of this host; empty: none are taken.
HostSlots take_slots(const Resources& resources, const Machine& machine, const std::filesystem::path& lock_folder);

/// Returns this user's folder for locks of this host, and makes it: in $XDG_RUNTIME_DIR, else in /dev/shm or /tmp.
/// Empty where none can be made, or somebody else's is in its place.
std::filesystem::path lock_folder_of_host();

}  // namespace gausscse
