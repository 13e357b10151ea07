#include "training/output_folder.hpp"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/folder_mark.hpp"
#include "base/temporary_name.hpp"
#include "dist/group_work.hpp"
#include "results/result_file.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr const char* result_name = "result.h5";
constexpr const char* model_name = "model";
constexpr const char* checkpoints_name = "checkpoints";
constexpr const char* lock_name = ".gausscse.lock";
constexpr std::array own_names = {result_name, model_name, checkpoints_name, lock_name, folder_mark_name};

/// Wait for the end of a run that has the folder. mpirun may have ended before the last of its ranks, and a job that
/// goes on at once finds the folder in use.
class WaitForTheEnd {
 public:
  WaitForTheEnd(const fs::path& folder, TrainingObserver& observer) : folder_(folder), observer_(observer) {}

  bool operator()(const std::string& holder) {
    const auto now = std::chrono::steady_clock::now();
    if (!until_) {
      until_ = now + longest;
      observer_.on_note(concat(folder_.string(), " is in use by another run (", holder, "): waiting ", longest.count(),
                               " s for its end"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return now < *until_;
  }

 private:
  static constexpr std::chrono::seconds longest{5};

  const fs::path& folder_;
  TrainingObserver& observer_;
  std::optional<std::chrono::steady_clock::time_point> until_;
};

}  // namespace

RunPaths paths_of_run(const Trial& trial, const std::filesystem::path& trial_file, std::vector<OutputFile> files) {
  RunPaths paths{
      .output = trial.output, .files = std::move(files), .token_cache = token_cache_folder(trial.data), .inputs = {}};
  const auto add = [&](std::string name, const std::filesystem::path& path) {
    if (!path.empty()) paths.inputs.push_back({std::move(name), path});
  };
  add("the trial", trial_file);
  add("model.backbone.path", trial.model.backbone.path);
  add("model.backbone.tokenizer", trial.model.backbone.tokenizer);
  add("model.backbone.vectors", trial.model.backbone.vectors);
  add("model.backbone.texts", trial.model.backbone.texts);
  for (const auto& file : trial.data.train) add("data.train", file);
  for (const TaskSettings& task : trial.tasks)
    for (const std::filesystem::path& file : files_of(task)) add(concat("tasks.", task.name, ".files"), file);
  return paths;
}

CheckpointFolder checkpoints_in(const fs::path& output) {
  return CheckpointFolder(output / checkpoints_name);
}

bool is_output_in_use(const fs::path& output) {
  return is_lock_held(output / lock_name);
}

fs::path result_in(const fs::path& output) {
  return output / result_name;
}

fs::path OutputFolder::result() const {
  return result_in(folder_);
}

fs::path OutputFolder::model() const {
  return folder_ / model_name;
}

CheckpointFolder OutputFolder::checkpoints() const {
  return checkpoints_in(folder_);
}

void OutputFolder::lock(TrainingObserver& observer) {
  const auto unwritable = [&](const char* why) {
    return concat("the output folder ", folder_.string(), " cannot be written to: ", why, ": give another `output`");
  };
  try {
    made_ = fs::create_directories(folder_);
    lock_.emplace(folder_ / lock_name, WaitForTheEnd(folder_, observer));
  } catch (const InputError& in_the_way) {
    throw InputError(concat(in_the_way.what(), ", or give another `output`"));
  } catch (const WriteError& error) {
    throw WriteError(unwritable(error.what()));
  } catch (const std::exception& error) {
    throw InputError(unwritable(error.what()));
  }
  if (lock_->stale_holder())
    observer.on_note(concat("an earlier run in this folder was killed (", *lock_->stale_holder(), ")"));
  if (!lock_->is_exclusive())
    observer.on_warning(
        concat("the file system of ", folder_.string(), " has no locks: make sure that no other run writes there"));
}

/// Requires that files which the run did not write are not in its way.
void OutputFolder::check_names(const RunPaths& paths) const {
  check_markable(folder_, FolderKind::output);
  for (const fs::path& own : {folder_, model(), checkpoints().path(), result()})
    if (const InputPath* input = input_at(own, paths.inputs))
      throw InputError(
          concat(own.string(), " is read as ", input->name, ", and the run would write there: give another `output`"));
  for (const fs::path& own : {model(), checkpoints().path()})
    if (!paths.token_cache.empty() && lies_in(paths.token_cache, own))
      throw InputError(concat("data.cache ", paths.token_cache.string(), " lies in ", own.string(),
                              ", which the run replaces or removes: give another `data.cache`"));
  const bool is_there = fs::exists(fs::symlink_status(result()));
  if (is_there && !is_result_file(result(), has_folder_mark(folder_, FolderKind::output)))
    throw InputError(concat(result().string(),
                            " is not a result that a run wrote, and would be replaced: move it, or "
                            "give another `output` (--overwrite does not lose it either)"));
  check_replaceable(model());
  checkpoints().check();
}

void OutputFolder::check_files(const RunPaths& paths) const {
  for (const OutputFile& file : paths.files)
    for (const char* own : own_names)
      if (!file.path.empty() && lies_in(file.path, folder_ / own))
        throw InputError(concat(file.name, " ", file.path.string(), " is a path to which the run writes: ",
                                (folder_ / own).string(), ": give another path"));
  check_output_files(paths.files, paths.inputs);
}

void OutputFolder::remove_unfinished(TrainingObserver& observer) const {
  if (!lock_->is_exclusive()) return;
  const auto is_own = [](std::string_view name) {
    return name == result_name || name == model_name || name == folder_mark_name || name == lock_name;
  };
  for (const Leftovers& leftovers :
       {remove_abandoned(folder_, is_own), remove_abandoned(checkpoints().path(), CheckpointFolder::is_own_name)})
    for (const fs::path& kept : leftovers.kept)
      observer.on_note(concat(kept.string(), " was left unfinished by another process: remove it if that has ended"));
}

void OutputFolder::prepare(const RunPaths& paths, TrainingObserver& observer) {
  lock(observer);
  try {
    check_names(paths);
    check_files(paths);
  } catch (const fs::filesystem_error& error) {
    throw InputError(concat("the output folder ", folder_.string(), " cannot be looked through: ", error.what()));
  }
  mark_folder(folder_, FolderKind::output, note_in_mark(folder_, FolderKind::output));
  remove_unfinished(observer);
}

OutputFolder::OutputFolder(const RunPaths& paths, ControlGroup& ranks, TrainingObserver& observer)
    : folder_(paths.output) {
  run_on_root(ranks, [&] {
    try {
      prepare(paths, observer);
    } catch (const std::exception&) {
      remove_unused();
      throw;
    }
  });
}

OutputFolder::~OutputFolder() {
  remove_unused();
}

/// Removes a folder in which no run has begun, as its mark names none. Any other file keeps the folder.
void OutputFolder::remove_unused() {
  if (!std::exchange(made_, false)) return;
  try {
    const auto is_own = [](const fs::directory_entry& entry) {
      return entry.path().filename() == folder_mark_name || entry.path().filename() == lock_name;
    };
    if (!note_in_mark(folder_, FolderKind::output).empty() ||
        !std::all_of(fs::directory_iterator(folder_), fs::directory_iterator(), is_own))
      return;
    fs::remove(folder_ / folder_mark_name);
    lock_.reset();
    ::rmdir(folder_.c_str());
  } catch (const std::exception&) {
    // The folder stays as it is, which does no harm.
  }
}

void OutputFolder::check_model_of(const std::string& run, ControlGroup& ranks) const {
  run_on_root(ranks, [&] {
    std::error_code ignored;
    if (!fs::exists(model(), ignored) || fs::is_empty(model(), ignored) || fs::exists(result(), ignored)) return;
    if (note_in_mark(folder_, FolderKind::output) == run) return;
    throw InputError(concat(model().string(),
                            " is the model of another run, whose result.h5 is gone: give another "
                            "`output`, or --overwrite to lose it"));
  });
}

void OutputFolder::check_room(std::uint64_t bytes, ControlGroup& ranks) const {
  run_on_root(ranks, [&] {
    struct statvfs room {};
    if (::statvfs(folder_.c_str(), &room) != 0 || room.f_blocks == 0) return;
    constexpr std::uint64_t mebibyte = 1 << 20;
    const std::uint64_t available = std::uint64_t{room.f_bavail} * room.f_frsize;
    if (available < bytes)
      throw WriteError(concat("the file system of ", folder_.string(), " has ", available / mebibyte,
                              " MiB left, and the model takes ", (bytes + mebibyte - 1) / mebibyte,
                              " MiB: make room there, or give another `output`"));
  });
}

void OutputFolder::remove_result(ControlGroup& ranks) const {
  run_on_root(ranks, [&] {
    if (!fs::exists(result())) return;
    checkpoints().remove();
    fs::remove(result());
  });
}

void OutputFolder::mark(const std::string& run, ControlGroup& ranks) const {
  run_on_root(ranks, [&] { mark_folder(folder_, FolderKind::output, run); });
}

}  // namespace gausscse
