#pragma once

#include <cstdint>
#include <filesystem>

namespace gausscse {

/// Returns the memory that the processes of this one's control group may still take, in bytes. It is the least of the
/// machine's available memory and of the rest of each limit on the group or on one around it (cgroup v1 and v2). Linux
/// grants more than that and then kills a process. Page cache that the kernel can drop counts as available. 0 where it
/// cannot be found out. Tests give another folder than `/` as `root`.
std::int64_t available_memory(const std::filesystem::path& root = "/");

}  // namespace gausscse
