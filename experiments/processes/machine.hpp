#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gausscse {

/// Cores and GPUs that a worker may use.
struct Machine {
  std::vector<int> cores;  ///< empty where the system does not show them
  /// False where a batch system gave this process a number of cores without confining it to certain ones: others may
  /// compute on any of them, so that trials are not bound. `cores` has as many as were given then.
  bool cores_are_own = true;
  std::vector<std::string> gpus;  ///< as CUDA_VISIBLE_DEVICES names them
  /// Cores given on each node of the Slurm allocation around this process; empty where there is none.
  std::vector<std::size_t> allocated_cores;
  std::size_t allocated_gpus = 0;  ///< on all its nodes
};

/// Returns this process's machine: the cores that it may run on, and the GPUs that CUDA_VISIBLE_DEVICES shows, else
/// those that the system has.
Machine this_machine();

/// The value of an environment variable, if it is set.
using Variables = std::function<std::optional<std::string>(const char* name)>;

/// Returns the machine with these resources: the cores of the process's affinity, the system's number of GPUs, and the
/// environment.
Machine machine_of(std::vector<int> cores, std::size_t gpu_count, const Variables& variables);

}  // namespace gausscse
