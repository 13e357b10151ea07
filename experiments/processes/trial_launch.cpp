#include "experiments/processes/trial_launch.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"
#include "experiments/study/study_layout.hpp"

namespace gausscse {

namespace {

bool begins_with_one_of(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; });
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> others) {
  return is_among(others, name);
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
  const bool under_mpirun = is_among(names, "OMPI_COMM_WORLD_RANK");
  std::vector<std::string> found;
  for (const std::string& name : names)
    if (is_of_rank(name) || (under_mpirun && is_of_mpirun(name))) found.push_back(name);
  return found;
}

namespace {

using setting::Launcher;

std::size_t ranks_of(const Resources& resources) {
  return static_cast<std::size_t>(resources.ranks);
}

std::size_t threads_of(const Resources& resources) {
  return static_cast<std::size_t>(resources.threads);
}

std::size_t cores_of(const Resources& resources) {
  return ranks_of(resources) * threads_of(resources);
}

/// Returns "2 ranks of 4 threads".
std::string demand_of(const Resources& resources) {
  return concat(counted(ranks_of(resources), "rank"), " of ", counted(threads_of(resources), "thread"));
}

void check_gpus(const Resources& resources, const Machine& machine) {
  const std::string lacking = lacking_gpus(resources, machine);
  if (!lacking.empty())
    throw InputError(
        concat(lacking, ": lower resources.ranks, set resources.gpus to false, or use a machine with enough GPUs"));
}

/// Steps of srun take free resources of the allocation, and wait for them.
std::size_t steps_at_once(const Resources& resources, const Machine& machine) {
  if (machine.allocated_cores.empty()) return 1;
  check_gpus(resources, machine);
  std::size_t ranks = 0;
  for (const std::size_t cores : machine.allocated_cores) ranks += cores / threads_of(resources);
  std::size_t steps = ranks / ranks_of(resources);
  if (resources.gpus > 0) steps = std::min(steps, machine.allocated_gpus / ranks_of(resources));
  return std::max<std::size_t>(1, steps);
}

template <typename Value>
std::vector<Value> part_of(const std::vector<Value>& all, std::size_t begin, std::size_t count) {
  const std::size_t first = std::min(begin, all.size()), last = std::min(begin + count, all.size());
  return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last)};
}

/// Returns the GPUs, each as often as ranks share it: first each once, so that few trials have a GPU each.
std::vector<std::string> places_on_gpus(const Resources& resources, const Machine& machine) {
  std::vector<std::string> places;
  for (int i = 0; i < trials_on_a_gpu(resources); ++i)
    places.insert(places.end(), machine.gpus.begin(), machine.gpus.end());
  return places;
}

/// Returns the words of the command line that start the ranks, up to the program.
std::vector<std::string> launcher_words(const Resources& resources, const TrialSlot& slot) {
  std::vector<std::string> words;
  switch (resources.launcher) {
    case Launcher::none:
      return words;
    case Launcher::mpirun:
      // A core is one of the system's, hardware threads included; --bind-to none: ranks keep the slot's cores.
      words = {"mpirun", "-np", std::to_string(resources.ranks), "--bind-to", "none", "--use-hwthread-cpus"};
      if (slot.cores.size() < ranks_of(resources)) words.push_back("--oversubscribe");
      break;
    case Launcher::srun:
      // --exact: steps next to each other. One MPI_Init only can be made in such a step.
      words = {"srun",
               concat("--ntasks=", resources.ranks),
               concat("--cpus-per-task=", resources.threads),
               "--exact",
               "--mpi=pmix",
               "--kill-on-bad-exit=1"};
      // Ranks that see each other's GPUs exchange without the host's memory in between.
      if (resources.gpus > 0) words.insert(words.end(), {"--gpus-per-task=1", "--gpu-bind=none"});
      break;
  }
  words.insert(words.end(), resources.launcher_arguments.begin(), resources.launcher_arguments.end());
  return words;
}

/// Variables in which sbatch passes on its job's tasks and GPUs. srun takes them for its own; some versions prefer them
/// to its options.
constexpr std::array sizes_of_job = {"SLURM_CPUS_PER_TASK", "SLURM_GPUS",   "SLURM_GPUS_PER_NODE",
                                     "SLURM_NPROCS",        "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE",
                                     "SLURM_TRES_PER_TASK"};

/// Adds the share of a GPU's memory that a process may take to the variable in which LibTorch finds the settings of its
/// allocator, so that no trial takes its neighbours' part.
void add_memory_share(double share, ChildCommand& command) {
  // LibTorch reads the older name first.
  const char* older = std::getenv("PYTORCH_CUDA_ALLOC_CONF");
  const char* settings = older ? older : std::getenv("PYTORCH_ALLOC_CONF");
  const std::string given = settings ? settings : "";
  if (given.find("per_process_memory_fraction") != std::string::npos) return;
  command.environment.emplace_back(older ? "PYTORCH_CUDA_ALLOC_CONF" : "PYTORCH_ALLOC_CONF",
                                   concat(given, given.empty() ? "" : ",", "per_process_memory_fraction:", share));
}

bool is_one_node_of_slurm() {
  const char* nodes = std::getenv("SLURM_JOB_NUM_NODES");
  return nodes && std::string_view(nodes) == "1";
}

}  // namespace

int trials_on_a_gpu(const Resources& resources) {
  // 0.1 and its like are no binary fractions.
  constexpr double rounding = 1e-9;
  return resources.gpus > 0 ? static_cast<int>(1 / resources.gpus + rounding) : 0;
}

std::string lacking_gpus(const Resources& resources, const Machine& machine) {
  if (resources.gpus == 0) return "";
  const bool by_slurm = resources.launcher == Launcher::srun;
  // Without an allocation Slurm finds them.
  if (by_slurm && machine.allocated_cores.empty()) return "";
  const std::size_t gpus = by_slurm ? machine.allocated_gpus : machine.gpus.size();
  if (gpus >= ranks_of(resources)) return "";
  return concat("resources: a trial takes ", counted(ranks_of(resources), "GPU"), ", one a rank, and ",
                by_slurm ? "the Slurm allocation has" : "this machine has",
                gpus == 0 ? " none" : concat(" ", gpus, " alone"));
}

std::vector<TrialSlot> divide_machine(const Resources& resources, const Machine& machine) {
  const bool shares = resources.gpus > 0 && resources.gpus < 1;
  if (shares && (resources.launcher != Launcher::none || resources.ranks > 1))
    throw InputError(concat("resources: trials that share a GPU (gpus: ", resources.gpus,
                            ") have one rank, which no launcher starts: set resources.ranks to 1 and "
                            "resources.launcher to none, or resources.gpus to true"));
  if (resources.launcher == Launcher::srun) return std::vector<TrialSlot>(steps_at_once(resources, machine));
  if (resources.launcher == Launcher::none && resources.ranks > 1)
    throw InputError(concat("resources: launcher: none starts one rank, not ", resources.ranks,
                            ": set resources.launcher to mpirun or srun, or resources.ranks to 1"));
  check_gpus(resources, machine);
  const std::size_t cores = cores_of(resources), gpus = resources.gpus > 0 ? ranks_of(resources) : 0;
  const std::vector<std::string> places = places_on_gpus(resources, machine);
  std::size_t count = std::max<std::size_t>(1, machine.cores.size() / cores);
  if (gpus > 0) count = std::min(count, places.size() / gpus);
  std::vector<TrialSlot> slots(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (machine.cores_are_own) slots[i].cores = part_of(machine.cores, i * cores, cores);
    slots[i].gpus = part_of(places, i * gpus, gpus);
  }
  return slots;
}

std::string division_warning(const Resources& resources, const Machine& machine) {
  if (resources.launcher == Launcher::srun) return "";
  if (!machine.cores.empty() && machine.cores.size() < cores_of(resources))
    return concat("a trial's ", demand_of(resources), " share ", counted(machine.cores.size(), "core"),
                  ": one trial at a time, slower than it could be; lower resources.threads or resources.ranks");
  if (resources.gpus == 0 && !machine.gpus.empty())
    return concat(counted(machine.gpus.size(), "GPU"), machine.gpus.size() == 1 ? " is" : " are",
                  " not used: set resources.gpus to true to train on ", machine.gpus.size() == 1 ? "it" : "them");
  return "";
}

ChildCommand train_command(const Resources& resources, const TrialSlot& slot, const std::filesystem::path& program,
                           const std::filesystem::path& folder) {
  ChildCommand command;
  command.words = launcher_words(resources, slot);
  for (const std::string& word :
       {program.string(), std::string("--threads"), std::to_string(resources.threads), std::string("train"),
        std::string(study_layout::trial_file), std::string("--json"), std::string(study_layout::report),
        std::string("--progress"), std::string(study_layout::progress), std::string("--failure"),
        std::string(study_layout::error)})
    command.words.push_back(word);
  std::vector<std::string> variables;
  for (char** variable = environ; *variable; ++variable)
    variables.emplace_back(*variable, std::strcspn(*variable, "="));
  for (const std::string& name : variables_of_step(variables)) command.environment.emplace_back(name, std::nullopt);
  if (resources.launcher == Launcher::srun) {
    for (const char* name : sizes_of_job) command.environment.emplace_back(name, std::nullopt);
  } else {
    // srun shows its tasks their resources.
    command.environment.emplace_back("CUDA_VISIBLE_DEVICES", joined(slot.gpus, ","));
  }
  if (resources.gpus > 0 && resources.gpus < 1) add_memory_share(resources.gpus, command);
  // mpirun starts no more ranks on a node than the job has tasks there, and a worker's job has one.
  if (resources.launcher == Launcher::mpirun && is_one_node_of_slurm())
    command.environment.emplace_back("SLURM_TASKS_PER_NODE", std::to_string(resources.ranks));
  command.cores = slot.cores;
  command.folder = folder;
  command.log = folder / study_layout::log;
  return command;
}

}  // namespace gausscse
