#include "base/rank_in_environment.hpp"

#include <array>
#include <cstdlib>

namespace gausscse {

namespace {

/// Variables of launchers that hold how many processes they started. The first is that of the MPI that joins ranks;
/// those that are not certain come last.
struct SizeVariable {
  const char* name;
  const char* launcher;
  /// The variable counts for certain only where this one is set as well; null: always.
  const char* witness = nullptr;
};
constexpr std::array size_variables = {SizeVariable{"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
                                       SizeVariable{"PMI_SIZE", "mpiexec of MPICH or Intel MPI"},
                                       SizeVariable{"MV2_COMM_WORLD_SIZE", "mpirun of MVAPICH2"},
                                       SizeVariable{"JSM_NAMESPACE_SIZE", "jsrun"},
                                       SizeVariable{"SLURM_STEP_NUM_TASKS", "srun"},
                                       SizeVariable{"FLUX_JOB_SIZE", "flux run"},
                                       SizeVariable{"WORLD_SIZE", "torchrun", "TORCHELASTIC_RUN_ID"}};

}  // namespace

std::optional<int> rank_in_environment() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  return std::nullopt;
}

std::optional<Siblings> siblings_not_joined(int joined) {
  std::optional<Siblings> found;
  for (const SizeVariable& variable : size_variables) {
    const char* text = std::getenv(variable.name);
    if (!text) continue;
    const int processes = std::atoi(text);
    const bool is_certain = !variable.witness || std::getenv(variable.witness);
    if (processes > joined && (!found || (is_certain && processes > found->processes)))
      found = Siblings{variable.name, variable.launcher, processes, is_certain};
    if (&variable == &size_variables.front()) break;
  }
  return found;
}

}  // namespace gausscse
