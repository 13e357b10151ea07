#include "experiments/training/output_folder.hpp"

#include <string>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/temporary_name.hpp"

namespace gausscse {

namespace fs = std::filesystem;

void OutputFolder::prepare(bool overwrite, TrainingObserver& observer) {
  const fs::path probe = folder_ / ".write-test";
  try {
    fs::create_directories(folder_);
    write_file_atomically(probe, std::string_view("gausscse\n"));
    fs::remove(probe);
    lock_.emplace(folder_ / ".lock");
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(concat("the output folder ", folder_.string(), " cannot be written to: ", error.what(),
                            ": give another `output`"));
  }
  if (lock_->stale_holder())
    observer.on_note(concat("an earlier run in this folder was killed (", *lock_->stale_holder(), ")"));
  if (!lock_->is_exclusive())
    observer.on_warning(
        concat("the file system of ", folder_.string(), " has no locks: see to it that no other run writes there"));
  for (const fs::path& path : {result(), model(), probe}) remove_abandoned_siblings(path);
  if (!fs::exists(result())) return;
  if (!overwrite)
    throw InputError(concat(folder_.string(),
                            " holds a result.h5 already, and would lose it: give another `output`, or --overwrite"));
  checkpoints().remove();
  fs::remove(result());
}

OutputFolder::OutputFolder(const fs::path& folder, bool overwrite, Communicator& communicator,
                           TrainingObserver& observer)
    : folder_(folder) {
  std::string problem;
  if (communicator.is_root()) {
    try {
      prepare(overwrite, observer);
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
  problem = communicator.all_gather_text(problem).front();
  if (!problem.empty()) throw InputError(problem);
}

}  // namespace gausscse
