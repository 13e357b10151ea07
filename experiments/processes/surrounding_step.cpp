#include "experiments/processes/surrounding_step.hpp"

#include <unistd.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace gausscse {

namespace {

bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; });
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> others) {
  return std::find(others.begin(), others.end(), name) != others.end();
}

/// Returns whether a variable concerns one rank alone.
bool is_of_rank(std::string_view name) {
  return begins_with_one_of(
             name, {"PMI_", "PMIX_", "OMPI_COMM_WORLD_", "SLURM_STEP_", "SLURM_CPU_BIND", "SLURM_SRUN_", "SLURM_PMIX_",
                    "MV2_COMM_WORLD_", "JSM_NAMESPACE_", "FLUX_TASK_", "TORCHELASTIC_"}) ||
         is_one_of(name, {"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NODEID", "SLURM_GTIDS", "SLURM_STEPID",
                          "SLURM_TASK_PID", "SLURM_MPI_TYPE", "FLUX_JOB_SIZE", "WORLD_SIZE", "RANK", "LOCAL_RANK"});
}

/// Returns whether mpirun adds a variable to a rank's environment besides those. A user may set such, too, where mpirun
/// has not.
bool is_of_mpirun(std::string_view name) {
  return begins_with_one_of(name, {"OMPI_MCA_orte_", "OMPI_MCA_ess", "OMPI_MCA_pmix", "OMPI_MCA_rmaps_", "PRTE_"}) ||
         is_one_of(name,
                   {"OMPI_APP_CTX_NUM_PROCS", "OMPI_ARGV", "OMPI_COMMAND", "OMPI_FILE_LOCATION", "OMPI_FIRST_RANKS",
                    "OMPI_MCA_hwloc_base_binding_policy", "OMPI_MCA_initial_wdir", "OMPI_MCA_mpi_oversubscribe",
                    "OMPI_MCA_shmem_RUNTIME_QUERY_hint", "OMPI_NUM_APP_CTX", "OMPI_UNIVERSE_SIZE"});
}

}  // namespace

std::vector<std::string> variables_of_step(const std::vector<std::string>& names) {
  const bool under_mpirun = std::find(names.begin(), names.end(), "OMPI_COMM_WORLD_RANK") != names.end();
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (is_of_rank(name) || (under_mpirun && is_of_mpirun(name))) found.push_back(name);
  return found;
}

std::vector<std::string> environment_names() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable; ++variable) {
    const std::string_view text(*variable);
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return names;
}

}  // namespace gausscse
