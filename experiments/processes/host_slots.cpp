#include "experiments/processes/host_slots.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Locks of this worker by their resource, and processes of the workers that have others.
class Locks {
 public:
  explicit Locks(fs::path folder) : folder_(std::move(folder)) {}

  /// Returns false where another worker has it. A lock that cannot be made keeps nobody away.
  bool take(const std::string& name) {
    if (folder_.empty()) return true;
    const fs::path path = folder_ / name;
    FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
    if (file.get() < 0) return true;
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return true;
      char text[32] = {};
      if (::pread(file.get(), text, sizeof text - 1, 0) > 0) holders_.insert(text);
      return false;
    }
    const std::string process = std::to_string(::getpid());
    if (::ftruncate(file.get(), 0) != 0 || ::pwrite(file.get(), process.data(), process.size(), 0) < 0) return true;
    taken_.emplace(name, std::move(file));
    return true;
  }

  /// Keeps the locks of these names; the others are given back.
  std::vector<FileDescriptor> kept(const std::set<std::string>& names) {
    std::vector<FileDescriptor> kept;
    for (auto& [name, file] : taken_)
      if (names.contains(name)) kept.push_back(std::move(file));
    taken_.clear();
    return kept;
  }

  /// Returns "process 17", "processes 17, 18".
  std::string holders() const { return concat(holders_.size() == 1 ? "process " : "processes ", joined(holders_)); }

 private:
  fs::path folder_;
  std::map<std::string, FileDescriptor> taken_;
  std::set<std::string> holders_;
};

std::string lock_of_core(int core) {
  return concat("core-", core);
}

std::string lock_of_gpu(std::string gpu) {
  std::replace(gpu.begin(), gpu.end(), '/', '_');
  return concat("gpu-", gpu);
}

/// Returns `machine` without the resources that other workers have.
Machine free_part(const Resources& resources, Machine machine, Locks& locks) {
  if (machine.cores_are_own) std::erase_if(machine.cores, [&](int core) { return !locks.take(lock_of_core(core)); });
  // A batch system has divided GPUs already, and calls each job's first one 0.
  if (resources.gpus > 0 && machine.allocated_cores.empty())
    std::erase_if(machine.gpus, [&](const std::string& gpu) { return !locks.take(lock_of_gpu(gpu)); });
  return machine;
}

std::set<std::string> locks_of(const std::vector<TrialSlot>& slots) {
  std::set<std::string> names;
  for (const TrialSlot& slot : slots) {
    for (const int core : slot.cores) names.insert(lock_of_core(core));
    for (const std::string& gpu : slot.gpus) names.insert(lock_of_gpu(gpu));
  }
  return names;
}

}  // namespace

HostSlots take_slots(const Resources& resources, const Machine& machine, const fs::path& lock_folder) {
  if (resources.launcher == setting::Launcher::srun) return {divide_machine(resources, machine), "", {}};
  Locks locks(lock_folder);
  Machine left = free_part(resources, machine, locks);
  const auto gpus = static_cast<std::size_t>(resources.gpus > 0 ? resources.ranks : 0);
  if (left.gpus.size() < gpus && machine.gpus.size() >= gpus)
    throw InputError(concat("resources: a trial takes ", counted(gpus, "GPU"), ", and of the ",
                            counted(machine.gpus.size(), "GPU"), " of this machine other workers (", locks.holders(),
                            ") have ", machine.gpus.size() - left.gpus.size(),
                            ": wait until they end, or work on another machine"));
  // Cores that a trial takes, as far as the machine has them.
  const std::size_t cores =
      std::min(static_cast<std::size_t>(resources.ranks * resources.threads), machine.cores.size());
  std::string warning;
  if (left.cores.size() < cores) {
    warning =
        concat("of the ", counted(machine.cores.size(), "core"), " of this machine other workers (", locks.holders(),
               ") have ", machine.cores.size() - left.cores.size(), ", and a trial takes ", cores,
               ": this worker runs one trial at a time, on cores that others compute on, until it is started again");
    left.cores.resize(cores);
    left.cores_are_own = false;
  } else if (left.cores.size() < machine.cores.size()) {
    warning = concat("other workers on this machine (", locks.holders(), ") have ",
                     counted(machine.cores.size() - left.cores.size(), "core"), ", this one takes ", left.cores.size());
  }
  std::vector<TrialSlot> slots = divide_machine(resources, left);
  std::vector<FileDescriptor> kept = locks.kept(locks_of(slots));
  return {std::move(slots), std::move(warning), std::move(kept)};
}

fs::path lock_folder_of_host() {
  const std::string own = concat("gausscse-", ::geteuid());
  std::vector<fs::path> folders{fs::path("/dev/shm") / own, fs::path("/tmp") / own};
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime == '/')
    folders.insert(folders.begin(), fs::path(runtime) / "gausscse");
  for (const fs::path& folder : folders) {
    struct stat status {};
    ::mkdir(folder.c_str(), 0700);
    // Others may have made something of this name where all may write.
    if (::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
        (status.st_mode & (S_IWGRP | S_IWOTH)) == 0)
      return folder;
  }
  return {};
}

}  // namespace gausscse
