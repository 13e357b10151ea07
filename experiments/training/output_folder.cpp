#include "experiments/training/output_folder.hpp"

#include <string>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/temporary_name.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Throws, on all ranks, what `work` throws on rank 0.
template <typename Work>
void run_on_root(Communicator& communicator, const Work& work) {
  std::string problem;
  if (communicator.is_root()) {
    try {
      work();
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
  problem = communicator.all_gather_text(problem).front();
  if (!problem.empty()) throw InputError(problem);
}

}  // namespace

void OutputFolder::prepare(bool may_replace, TrainingObserver& observer) {
  const fs::path probe = folder_ / ".write-test";
  try {
    fs::create_directories(folder_);
    write_file_atomically(probe, std::string_view("gausscse\n"));
    fs::remove(probe);
    lock_.emplace(folder_ / ".lock");
  } catch (const InputError& in_use) {
    throw InputError(concat(in_use.what(), ": wait for it to end, or give another `output`"));
  } catch (const std::exception& error) {
    throw InputError(concat("the output folder ", folder_.string(), " cannot be written to: ", error.what(),
                            ": give another `output`"));
  }
  if (lock_->stale_holder())
    observer.on_note(concat("an earlier run in this folder was killed (", *lock_->stale_holder(), ")"));
  if (lock_->is_exclusive()) {
    remove_unfinished(folder_);
    remove_unfinished(checkpoints().path());
  } else {
    observer.on_warning(
        concat("the file system of ", folder_.string(), " has no locks: see to it that no other run writes there"));
  }
  if (fs::exists(result()) && !may_replace)
    throw InputError(concat(folder_.string(),
                            " holds a result.h5 already, and would lose it: give another `output`, or --overwrite"));
}

void OutputFolder::remove_result(Communicator& communicator) const {
  const auto remove = [&] {
    if (!fs::exists(result())) return;
    checkpoints().remove();
    fs::remove(result());
  };
  run_on_root(communicator, remove);
}

OutputFolder::OutputFolder(const fs::path& folder, bool may_replace, Communicator& communicator,
                           TrainingObserver& observer)
    : folder_(folder) {
  run_on_root(communicator, [&] { prepare(may_replace, observer); });
}

}  // namespace gausscse
