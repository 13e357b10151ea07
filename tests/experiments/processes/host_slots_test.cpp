#include "experiments/processes/host_slots.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
Machine machine_with(std::vector<int> cores, std::vector<std::string> gpus = {}) {
  Machine machine;
  machine.cores = std::move(cores);
  machine.gpus = std::move(gpus);
  return machine;
}

Resources resources_of(std::int64_t ranks, std::int64_t threads, double gpus = 0) {
  Resources resources;
  resources.launcher = setting::Launcher::mpirun;
  resources.ranks = ranks;
  resources.threads = threads;
  resources.gpus = gpus;
  return resources;
}

std::vector<std::vector<int>> cores_of(const HostSlots& host) {
  std::vector<std::vector<int>> cores;
  for (const TrialSlot& slot : host.slots) cores.push_back(slot.cores);
  return cores;
}

using Cores = std::vector<std::vector<int>>;

TEST(HostSlots, OfASecondWorkerHaveCoresThatTheFirstLeft) {
  const TemporaryFolder folder;
  const Machine machine = machine_with({4, 5, 6, 7, 9});
  std::optional<HostSlots> first = take_slots(resources_of(1, 3), machine, folder.path());
  EXPECT_EQ(cores_of(*first), Cores({{4, 5, 6}}));
  EXPECT_EQ(first->warning, "");
  const HostSlots second = take_slots(resources_of(1, 1), machine, folder.path());
  EXPECT_EQ(cores_of(second), Cores({{7}, {9}})) << "which its slots do not take";
  EXPECT_EQ(second.warning,
            concat("other workers on this machine (process ", ::getpid(), ") have 3 cores, this one takes 2"));

  const HostSlots third = take_slots(resources_of(2, 1), machine, folder.path());
  EXPECT_EQ(cores_of(third), Cores({{}})) << "one that is bound to none";
  EXPECT_EQ(third.warning,
            concat("of the 5 cores of this machine other workers (process ", ::getpid(),
                   ") have 5, and a trial takes 2: this worker runs one trial at a time, on cores that others compute "
                   "on, until it is started again"));
  first.reset();
  EXPECT_EQ(cores_of(take_slots(resources_of(2, 1), machine, folder.path())), Cores({{4, 5}})) << "free again";
}

TEST(HostSlots, OfDifferentLockFoldersKnowNothingOfEachOther) {
  const TemporaryFolder one, other;
  const Machine machine = machine_with({0, 1});
  const HostSlots first = take_slots(resources_of(1, 2), machine, one.path());
  for (const fs::path& folder : {other.path(), fs::path()}) {
    const HostSlots second = take_slots(resources_of(1, 2), machine, folder);
    EXPECT_EQ(cores_of(second), Cores({{0, 1}}));
    EXPECT_EQ(second.warning, "");
  }
}

TEST(HostSlots, OfTooFewCoresTakeThemAll) {
  const TemporaryFolder folder;
  const HostSlots first = take_slots(resources_of(1, 8), machine_with({0, 1}), folder.path());
  EXPECT_EQ(cores_of(first), Cores({{0, 1}}));
  EXPECT_EQ(cores_of(take_slots(resources_of(1, 8), machine_with({0, 1}), folder.path())), Cores({{}}));
}

TEST(HostSlots, AreNotBoundWhereABatchSystemGaveANumberOfCores) {
  const TemporaryFolder folder;
  Machine machine = machine_with({0, 1});
  machine.cores_are_own = false;
  const HostSlots first = take_slots(resources_of(1, 1), machine, folder.path());
  const HostSlots second = take_slots(resources_of(1, 1), machine, folder.path());
  for (const HostSlots* host : {&first, &second}) {
    EXPECT_EQ(cores_of(*host), Cores({{}, {}}));
    EXPECT_EQ(host->warning, "");
  }
}

TEST(HostSlots, HaveGpusThatNoOtherWorkerHas) {
  const TemporaryFolder folder;
  Machine machine = machine_with({0, 1, 2, 3, 4, 5}, {"0", "MIG-1/0", "2"});
  std::optional<HostSlots> first = take_slots(resources_of(2, 1, true), machine, folder.path());
  EXPECT_EQ(first->slots.at(0).gpus, (std::vector<std::string>{"0", "MIG-1/0"}));
  const HostSlots second = take_slots(resources_of(1, 1, true), machine, folder.path());
  ASSERT_EQ(second.slots.size(), 1u);
  EXPECT_EQ(second.slots[0].gpus, std::vector<std::string>{"2"});
  EXPECT_TRUE(says(refusal_of([&] { take_slots(resources_of(1, 1, true), machine, folder.path()); }),
                   concat("a trial takes 1 GPU, and of the 3 GPUs of this machine other workers (process ", ::getpid(),
                          ") have 3: wait until they end")));
  EXPECT_EQ(take_slots(resources_of(1, 1), machine, folder.path()).slots.size(), 3u) << "which takes none";
  first.reset();
  Resources half = resources_of(1, 1, 0.5);
  half.launcher = setting::Launcher::none;
  const HostSlots sharing = take_slots(half, machine, folder.path());
  ASSERT_EQ(sharing.slots.size(), 4u) << "two GPUs are free";
  EXPECT_EQ(sharing.slots[2].gpus, sharing.slots[0].gpus);
  EXPECT_TRUE(says(refusal_of([&] { take_slots(half, machine, folder.path()); }), "have 3"))
      << "their GPUs are this worker's";
  // A batch system calls each job's first one 0.
  machine.allocated_cores = {6};
  EXPECT_EQ(take_slots(resources_of(1, 1, true), machine, folder.path()).slots.at(0).gpus,
            std::vector<std::string>{"0"});
}

TEST(HostSlots, AreLockedInAFolderOfThisUserAlone) {
  const TemporaryFolder folder;
  const char* before = std::getenv("XDG_RUNTIME_DIR");
  const std::string kept = before ? before : "";
  ::setenv("XDG_RUNTIME_DIR", folder.path().c_str(), 1);
  EXPECT_EQ(lock_folder_of_host(), folder / "gausscse");
  EXPECT_EQ(lock_folder_of_host(), folder / "gausscse") << "again";
  fs::permissions(folder / "gausscse", fs::perms::all);
  EXPECT_NE(lock_folder_of_host(), folder / "gausscse") << "all may write there";
  fs::remove(folder / "gausscse");
  fs::create_directory(folder / "mine");
  fs::create_directory_symlink(folder / "mine", folder / "gausscse");
  EXPECT_NE(lock_folder_of_host(), folder / "gausscse") << "a link";
  if (before)
    ::setenv("XDG_RUNTIME_DIR", kept.c_str(), 1);
  else
    ::unsetenv("XDG_RUNTIME_DIR");
}

}  // namespace
}  // namespace gausscse
