#include "experiments/worker/run_study.hpp"

#include <unistd.h>

#include <cerrno>
#include <exception>

#include "base/error.hpp"
#include "experiments/processes/host_slots.hpp"
#include "experiments/processes/machine.hpp"
#include "experiments/processes/trial_launch.hpp"
#include "experiments/study/study_index.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_results.hpp"
#include "experiments/worker/gpu_sharing.hpp"
#include "experiments/worker/worker.hpp"

namespace gausscse {

namespace fs = std::filesystem;

fs::path program_that_trains(const StudyRunOptions& options) {
  if (options.train_program.empty()) {
    // Not by that name: of a launcher /proc/self is another.
    std::error_code error;
    fs::path self = fs::read_symlink("/proc/self/exe", error);
    if (error) throw SystemError(concat("/proc/self/exe cannot be read: ", error.message(), ": give --train-program"));
    return self;
  }
  fs::path program = fs::absolute(options.train_program);
  const auto refuse = [&](const char* why) {
    throw InputError(concat("--train-program ", program.string(), " is no program that can be started", why));
  };
  if (::access(program.c_str(), X_OK) != 0) refuse(errno == ENOENT ? ": there is no such file" : "");
  // A folder may be entered, which is the same right.
  if (fs::is_directory(program)) refuse(": it is a folder");
  return program;
}

namespace {

/// Refreshes the index. The study does not depend on it: problems are reported, no more.
void refresh_index(const fs::path& results, WorkerObserver& observer) {
  try {
    write_index(read_study(results), results / study_layout::index);
  } catch (const std::exception& error) {
    observer.on_warning(concat("the index of the results is not up to date: ", error.what()));
  }
}

}  // namespace

int run_study(const StudyRunOptions& options, const StopRequests& stop, WorkerObserver& observer) {
  const Manifest manifest = read_manifest(options.manifest);
  const fs::path results = fs::absolute(options.results).lexically_normal();
  check_study_folder(results, manifest.name, manifest.text);
  const Machine machine = this_machine();
  HostSlots host = take_slots(manifest.resources, machine, lock_folder_of_host());
  WorkerSettings settings{.attempts = {.results = results,
                                       .program = program_that_trains(options),
                                       .resources = manifest.resources,
                                       .keep_models = manifest.keep_models,
                                       .lease = options.lease,
                                       .silence = options.silence},
                          .manifest_file = fs::absolute(options.manifest),
                          .slots = std::move(host.slots),
                          .selection = TrialSelection(options.only, options.stage),
                          .max_trials = options.max_trials,
                          .fail_fast = options.fail_fast,
                          .retry_failed = options.retry_failed,
                          .machine_failures = options.machine_failures};
  for (const std::string& warning : {division_warning(manifest.resources, machine), host.warning})
    if (!warning.empty()) observer.on_warning(warning);
  if (const std::string note = sharing_note(manifest.resources, options.is_mps_served); !note.empty())
    observer.on_note(note);
  StudyPlanner planner(results, manifest);
  const int exit_code = Worker(std::move(settings), planner, stop, observer).run();
  refresh_index(results, observer);
  return exit_code;
}

}  // namespace gausscse
