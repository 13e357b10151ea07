#include "experiments/processes/trial_launch.hpp"

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using setting::Launcher;
using Words = std::vector<std::string>;

Machine machine(std::size_t cores, Words gpus = {}) {
  Machine result;
  for (std::size_t core = 0; core < cores; ++core) result.cores.push_back(static_cast<int>(10 + core));
  result.gpus = std::move(gpus);
  return result;
}

Resources resources(Launcher launcher, std::int64_t ranks, std::int64_t threads, double gpus = 0) {
  return {.launcher = launcher, .ranks = ranks, .threads = threads, .gpus = gpus, .launcher_arguments = {}};
}

Machine found(std::vector<int> cores, std::size_t gpu_count, const std::map<std::string, std::string>& variables) {
  return machine_of(std::move(cores), gpu_count, [&](const char* name) -> std::optional<std::string> {
    const auto variable = variables.find(name);
    if (variable == variables.end()) return std::nullopt;
    return variable->second;
  });
}

TEST(ThisMachine, HasTheCoresOfItsAffinityAndTheSystemsGpus) {
  const Machine plain = found({2, 3, 7}, 3, {});
  EXPECT_EQ(plain.cores, (std::vector<int>{2, 3, 7}));
  EXPECT_TRUE(plain.cores_are_own);
  EXPECT_EQ(plain.gpus, (Words{"0", "1", "2"}));
  EXPECT_TRUE(plain.allocated_cores.empty());
  EXPECT_FALSE(this_machine().cores.empty());
}

TEST(ThisMachine, SeesTheGpusThatItIsShown) {
  EXPECT_EQ(found({0}, 8, {{"CUDA_VISIBLE_DEVICES", "3, GPU-ab,MIG-1/2"}}).gpus, (Words{"3", "GPU-ab", "MIG-1/2"}));
  EXPECT_EQ(found({0}, 8, {{"CUDA_VISIBLE_DEVICES", "1,-1,2"}}).gpus, Words{"1"});
  EXPECT_EQ(found({0}, 8, {{"CUDA_VISIBLE_DEVICES", ""}}).gpus, Words{});
}

TEST(ThisMachine, KnowsItsSlurmAllocation) {
  const Machine confined = found({4, 5}, 0,
                                 {{"SLURM_JOB_ID", "7"},
                                  {"SLURM_CPUS_ON_NODE", "2"},
                                  {"SLURM_JOB_CPUS_PER_NODE", "2(x3),16"},
                                  {"SLURM_GPUS_ON_NODE", "2"}});
  EXPECT_EQ(confined.cores, (std::vector<int>{4, 5}));
  EXPECT_TRUE(confined.cores_are_own);
  EXPECT_EQ(confined.allocated_cores, (std::vector<std::size_t>{2, 2, 2, 16}));
  EXPECT_EQ(confined.allocated_gpus, 8u);

  const Machine shared = found({0, 1, 2, 3}, 0, {{"SLURM_JOB_ID", "7"}, {"SLURM_CPUS_ON_NODE", "3"}});
  EXPECT_EQ(shared.cores.size(), 3u);
  EXPECT_FALSE(shared.cores_are_own);
  EXPECT_TRUE(found({0, 1}, 0, {{"SLURM_CPUS_ON_NODE", "1"}}).cores_are_own) << "no job";
}

TEST(DivideMachine, GivesEachTrialCoresOfItsOwn) {
  const auto slots = divide_machine(resources(Launcher::mpirun, 2, 2), machine(9));
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_EQ(slots[0].cores, (std::vector<int>{10, 11, 12, 13}));
  EXPECT_EQ(slots[1].cores, (std::vector<int>{14, 15, 16, 17}));
  EXPECT_TRUE(slots[0].gpus.empty());
  EXPECT_EQ(divide_machine(resources(Launcher::none, 1, 1), machine(8)).size(), 8u);
  EXPECT_EQ(divide_machine(resources(Launcher::none, 1, 8), machine(8)).size(), 1u);
}

TEST(DivideMachine, BindsNothingToCoresThatOthersHave) {
  Machine shared = machine(4);
  shared.cores_are_own = false;
  const auto slots = divide_machine(resources(Launcher::none, 1, 2), shared);
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_TRUE(slots[0].cores.empty());
  EXPECT_TRUE(slots[1].cores.empty());
}

TEST(DivideMachine, OneTrialHasAllCoresWhereTheyAreTooFew) {
  const Resources wide = resources(Launcher::mpirun, 2, 4);
  const auto slots = divide_machine(wide, machine(7));
  ASSERT_EQ(slots.size(), 1u);
  EXPECT_EQ(slots[0].cores.size(), 7u);
  EXPECT_TRUE(says(division_warning(wide, machine(7)), "2 ranks of 4 threads share 7 cores"));
  EXPECT_EQ(division_warning(wide, machine(8)), "");
  EXPECT_EQ(divide_machine(wide, machine(0)).size(), 1u) << "a system that does not tell";
  EXPECT_EQ(division_warning(wide, machine(0)), "");
}

TEST(DivideMachine, SharesGpusAmongTrialsOfOneRank) {
  const auto gpus_of = [](double share, std::size_t cores, const Words& gpus) {
    Words found;
    for (const TrialSlot& slot : divide_machine(resources(Launcher::none, 1, 1, share), machine(cores, gpus))) {
      EXPECT_EQ(slot.gpus.size(), 1u);
      found.push_back(slot.gpus.at(0));
    }
    return found;
  };
  EXPECT_EQ(gpus_of(0.25, 16, {"a"}), (Words{"a", "a", "a", "a"}));
  EXPECT_EQ(gpus_of(0.5, 16, {"a", "b"}), (Words{"a", "b", "a", "b"}));
  EXPECT_EQ(gpus_of(0.5, 3, {"a", "b"}), (Words{"a", "b", "a"})) << "three cores";
  EXPECT_EQ(gpus_of(0.3, 16, {"a"}), (Words{"a", "a", "a"}));
  EXPECT_EQ(gpus_of(0.1, 16, {"a"}).size(), 10u);
  EXPECT_EQ(gpus_of(0.6, 16, {"a", "b"}), (Words{"a", "b"}));
  EXPECT_EQ(gpus_of(1, 16, {"a", "b"}), (Words{"a", "b"}));
  for (const Resources& several : {resources(Launcher::mpirun, 2, 1, 0.5), resources(Launcher::srun, 1, 1, 0.5),
                                   resources(Launcher::none, 2, 1, 0.5)})
    EXPECT_TRUE(
        says(refusal_of([&] {
               divide_machine(several, machine(16, {"a", "b"}));
             }),
             "trials that share a GPU (gpus: 0.5) have one rank, which no launcher starts: set resources.ranks"));
  EXPECT_TRUE(says(refusal_of([&] { divide_machine(resources(Launcher::none, 1, 1, 0.5), machine(16)); }),
                   "this machine has none"));
}

TEST(DivideMachine, HandsOutGpusAmongTheSlots) {
  const Resources two = resources(Launcher::mpirun, 2, 1, true);
  const auto slots = divide_machine(two, machine(16, {"a", "b", "c", "d", "e"}));
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_EQ(slots[0].gpus, (Words{"a", "b"}));
  EXPECT_EQ(slots[1].gpus, (Words{"c", "d"}));
  EXPECT_EQ(slots[1].cores, (std::vector<int>{12, 13}));
  EXPECT_EQ(divide_machine(two, machine(2, {"a", "b", "c", "d"})).size(), 1u) << "cores for one";
  EXPECT_TRUE(says(refusal_of([&] { divide_machine(two, machine(16, {"a"})); }),
                   "a trial takes 2 GPUs, one a rank, and this machine has 1 alone"));
  EXPECT_TRUE(says(refusal_of([&] { divide_machine(two, machine(16)); }), "this machine has none"));
  EXPECT_TRUE(says(division_warning(resources(Launcher::none, 1, 1), machine(2, {"a"})), "1 GPU is not used"));
  EXPECT_EQ(division_warning(two, machine(16, {"a", "b"})), "");
}

TEST(DivideMachine, RefusesRanksThatNothingStarts) {
  EXPECT_TRUE(says(refusal_of([] { divide_machine(resources(Launcher::none, 2, 1), machine(8)); }),
                   "launcher: none starts one rank, not 2"));
}

TEST(DivideMachine, UnderSrunTheAllocationTells) {
  Machine node = machine(1);
  EXPECT_EQ(divide_machine(resources(Launcher::srun, 64, 4), node).size(), 1u) << "srun asks for its own";
  node.allocated_cores = {8, 8, 3};
  // Ranks of three threads: two on each of the first nodes, one on the last.
  EXPECT_EQ(divide_machine(resources(Launcher::srun, 2, 3), node).size(), 2u);
  EXPECT_EQ(divide_machine(resources(Launcher::srun, 1, 3), node).size(), 5u);
  EXPECT_EQ(divide_machine(resources(Launcher::srun, 16, 3), node).size(), 1u);
  EXPECT_TRUE(divide_machine(resources(Launcher::srun, 1, 3), node)[0].cores.empty());
  node.allocated_gpus = 3;
  EXPECT_EQ(divide_machine(resources(Launcher::srun, 1, 1, true), node).size(), 3u);
  EXPECT_TRUE(says(refusal_of([&] { divide_machine(resources(Launcher::srun, 4, 1, true), node); }),
                   "a trial takes 4 GPUs, one a rank, and the Slurm allocation has 3 alone"));
}

/// Arguments that every launcher gives the program.
const Words program_words = {"/bin/gausscse", "--threads", "3",           "train",
                             "trial.yaml",    "--json",    "report.json", "--progress",
                             "progress.json", "--failure", "error.json"};

Words behind(Words words, const Words& others) {
  words.insert(words.end(), others.begin(), others.end());
  return words;
}

TEST(TrainCommand, StartsTheProgramByItself) {
  const TrialSlot slot{.cores = {4, 5, 6}, .gpus = {}};
  const ChildCommand command = train_command(resources(Launcher::none, 1, 3), slot, "/bin/gausscse", "/study/t.1");
  EXPECT_EQ(command.words, program_words);
  EXPECT_EQ(command.cores, slot.cores);
  EXPECT_EQ(command.folder, "/study/t.1");
  EXPECT_EQ(command.log, "/study/t.1/log.txt");
}

TEST(TrainCommand, StartsRanksWithMpirun) {
  Resources asked = resources(Launcher::mpirun, 2, 3);
  asked.launcher_arguments = {"--mca", "btl", "^openib"};
  const auto words = [&](std::vector<int> cores) {
    return train_command(asked, {.cores = std::move(cores), .gpus = {}}, "/bin/gausscse", "/study").words;
  };
  const Words launcher = {"mpirun", "-np", "2", "--bind-to", "none", "--use-hwthread-cpus"};
  EXPECT_EQ(words({4, 5}), behind(behind(launcher, asked.launcher_arguments), program_words));
  EXPECT_EQ(words({4}), behind(behind(behind(launcher, {"--oversubscribe"}), asked.launcher_arguments), program_words));
}

TEST(TrainCommand, StartsStepsWithSrun) {
  Resources asked = resources(Launcher::srun, 2, 3);
  asked.launcher_arguments = {"--mem=0"};
  const auto words = [&] { return train_command(asked, {}, "/bin/gausscse", "/study").words; };
  Words launcher = {"srun", "--ntasks=2", "--cpus-per-task=3", "--exact", "--mpi=pmix", "--kill-on-bad-exit=1"};
  EXPECT_EQ(words(), behind(behind(launcher, {"--mem=0"}), program_words));
  asked.gpus = true;
  EXPECT_EQ(words(), behind(behind(launcher, {"--gpus-per-task=1", "--gpu-bind=none", "--mem=0"}), program_words));
}

/// Variables of this process while it lives.
class SetVariables {
 public:
  explicit SetVariables(std::map<std::string, std::string> variables) : variables_(std::move(variables)) {
    for (const auto& [name, value] : variables_) setenv(name.c_str(), value.c_str(), 1);
  }
  ~SetVariables() {
    for (const auto& [name, value] : variables_) unsetenv(name.c_str());
  }
  SetVariables(const SetVariables&) = delete;
  SetVariables& operator=(const SetVariables&) = delete;

 private:
  std::map<std::string, std::string> variables_;
};

/// Returns the environment variables that the command changes.
std::map<std::string, std::optional<std::string>> changes(const Resources& asked, const TrialSlot& slot = {}) {
  const ChildCommand command = train_command(asked, slot, "/bin/gausscse", "/study");
  return {command.environment.begin(), command.environment.end()};
}

TEST(TrainCommand, ShowsATrialItsOwnGpusOrNone) {
  const std::string name = "CUDA_VISIBLE_DEVICES";
  const TrialSlot slot{.cores = {}, .gpus = {"3", "GPU-ab"}};
  EXPECT_EQ(changes(resources(Launcher::mpirun, 2, 1, true), slot).at(name), "3,GPU-ab");
  EXPECT_EQ(changes(resources(Launcher::none, 1, 1)).at(name), "");
  EXPECT_EQ(changes(resources(Launcher::srun, 1, 1, true)).count(name), 0u) << "srun shows them";
}

/// LibTorch finds its part of a GPU in its own variables, of which it reads the older one first.
TEST(TrainCommand, GivesATrialThatSharesAGpuItsPartOfTheMemory) {
  const std::string name = "PYTORCH_ALLOC_CONF", older = "PYTORCH_CUDA_ALLOC_CONF";
  for (const double gpus : {0.0, 1.0}) {
    EXPECT_EQ(changes(resources(Launcher::none, 1, 1, gpus)).count(name), 0u) << gpus;
    EXPECT_EQ(changes(resources(Launcher::none, 1, 1, gpus)).count(older), 0u) << gpus;
  }
  const Resources quarter = resources(Launcher::none, 1, 1, 0.25);
  EXPECT_EQ(changes(quarter).at(name), "per_process_memory_fraction:0.25");
  {
    const SetVariables given({{name, "expandable_segments:True"}});
    EXPECT_EQ(changes(quarter).at(name), "expandable_segments:True,per_process_memory_fraction:0.25");
    const SetVariables both({{older, "max_split_size_mb:64"}});
    EXPECT_EQ(changes(quarter).at(older), "max_split_size_mb:64,per_process_memory_fraction:0.25");
    EXPECT_EQ(changes(quarter).count(name), 0u);
  }
  const SetVariables given({{name, "per_process_memory_fraction:0.1"}});
  EXPECT_EQ(changes(quarter).count(name), 0u) << "the user's is kept";
}

TEST(TrainCommand, LeavesASurroundingStep) {
  const SetVariables step({{"OMPI_COMM_WORLD_RANK", "1"},
                           {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                           {"OMPI_MCA_orte_hnp_uri", "x"},
                           {"PMIX_RANK", "1"},
                           {"SLURM_PROCID", "1"},
                           {"SLURM_STEP_NUM_TASKS", "4"},
                           {"SLURM_JOB_ID", "7"}});
  for (const Launcher launcher : {Launcher::none, Launcher::mpirun, Launcher::srun}) {
    const auto changed = changes(resources(launcher, 1, 1));
    for (const char* name :
         {"OMPI_COMM_WORLD_RANK", "OMPI_MCA_orte_hnp_uri", "PMIX_RANK", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}) {
      ASSERT_EQ(changed.count(name), 1u) << name;
      EXPECT_FALSE(changed.at(name)) << name;
    }
    for (const char* name : {"OMPI_ALLOW_RUN_AS_ROOT", "SLURM_JOB_ID", "PATH"}) EXPECT_EQ(changed.count(name), 0u);
  }
}

TEST(TrainCommand, SrunTakesNoSizesOfTheJob) {
  const auto changed = changes(resources(Launcher::srun, 2, 3));
  for (const char* name : {"SLURM_CPUS_PER_TASK", "SLURM_GPUS", "SLURM_GPUS_PER_NODE", "SLURM_NPROCS", "SLURM_NTASKS",
                           "SLURM_NTASKS_PER_NODE", "SLURM_TRES_PER_TASK"}) {
    ASSERT_EQ(changed.count(name), 1u) << name;
    EXPECT_FALSE(changed.at(name)) << name;
    EXPECT_EQ(changes(resources(Launcher::mpirun, 2, 3)).count(name), 0u) << name;
  }
}

TEST(TrainCommand, MpirunHasARankForEachTaskOfAJobOnOneNode) {
  const Resources asked = resources(Launcher::mpirun, 3, 1);
  EXPECT_EQ(changes(asked).count("SLURM_TASKS_PER_NODE"), 0u);
  {
    const SetVariables job(std::map<std::string, std::string>{{"SLURM_JOB_NUM_NODES", "1"}});
    EXPECT_EQ(changes(asked).at("SLURM_TASKS_PER_NODE"), "3");
    EXPECT_EQ(changes(resources(Launcher::none, 1, 1)).count("SLURM_TASKS_PER_NODE"), 0u);
  }
  const SetVariables job(std::map<std::string, std::string>{{"SLURM_JOB_NUM_NODES", "2"}});
  EXPECT_EQ(changes(asked).count("SLURM_TASKS_PER_NODE"), 0u);
}

TEST(VariablesOfStep, WhatAUserSetsForMpirunStaysUnlessThisIsARankOfIt) {
  const Words user = {"HOME", "OMPI_MCA_orte_keep_fqdn_hostnames", "OMPI_MCA_btl", "SLURM_JOB_ID", "SLURM_CONF"};
  EXPECT_EQ(variables_of_step(user), Words{});
  EXPECT_EQ(variables_of_step(behind(user, {"OMPI_COMM_WORLD_RANK", "OMPI_UNIVERSE_SIZE"})),
            (Words{"OMPI_MCA_orte_keep_fqdn_hostnames", "OMPI_COMM_WORLD_RANK", "OMPI_UNIVERSE_SIZE"}));
  EXPECT_EQ(variables_of_step({"SLURM_CPU_BIND", "SLURM_CPU_BIND_LIST", "PMI_RANK", "SLURM_STEPID", "SLURM_LOCALID"}),
            (Words{"SLURM_CPU_BIND", "SLURM_CPU_BIND_LIST", "PMI_RANK", "SLURM_STEPID", "SLURM_LOCALID"}));
  // Each that a program is refused for when it is one of several.
  const Words sizes = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE",      "MV2_COMM_WORLD_SIZE", "JSM_NAMESPACE_SIZE",
                       "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE", "WORLD_SIZE",          "TORCHELASTIC_RUN_ID"};
  EXPECT_EQ(variables_of_step(sizes), sizes);
}

}  // namespace
}  // namespace gausscse
