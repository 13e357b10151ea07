#include "experiments/training/output_folder.hpp"

#include <string>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/temporary_name.hpp"
#include "dist/root_work.hpp"

namespace gausscse {

namespace fs = std::filesystem;

void OutputFolder::prepare(TrainingObserver& observer) {
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
}

void OutputFolder::remove_result(Communicator& communicator) const {
  run_on_root(communicator, [&] {
    if (!fs::exists(result())) return;
    checkpoints().remove();
    fs::remove(result());
  });
}

OutputFolder::OutputFolder(const fs::path& folder, Communicator& communicator, TrainingObserver& observer)
    : folder_(folder) {
  run_on_root(communicator, [&] { prepare(observer); });
}

}  // namespace gausscse
