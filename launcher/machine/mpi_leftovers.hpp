#pragma once

#include <filesystem>
#include <vector>

namespace gausscse {

/// Returns Open MPI's files of shared memory in `folder` that belong to this user and that no process has mapped, in
/// order. Killed ranks of other programs, and of gausscse 0.1.0, leave them, and they take memory until the node
/// restarts.
std::vector<std::filesystem::path> mpi_leftovers(const std::filesystem::path& folder = "/dev/shm");

}  // namespace gausscse
