#include "training/continued_run.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/output_paths.hpp"
#include "config/trial/trial_changes.hpp"
#include "config/trial/trial_identity.hpp"
#include "dist/group_work.hpp"
#include "training/checkpoint/checkpoint_file.hpp"
#include "training/output_folder.hpp"
#include "training/resume.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// A checkpoint, and the file that holds it.
struct ReadCheckpoint {
  fs::path file;
  TrainingState state;
};

[[noreturn]] void refuse_without_checkpoint(const fs::path& run) {
  if (!fs::exists(result_in(run)))
    throw InputError(concat("--continue ", run.string(), ": there is no checkpoint of a run: give the output folder ",
                            "of a run that was stopped, or that ended with training.keep_checkpoint: true"));
  throw InputError(concat("--continue ", run.string(), ": this run has ended and kept no checkpoint: train it again ",
                          "with training.keep_checkpoint: true, or begin a new run from its weights alone ",
                          "(model.backbone.path: ", run.string(), ")"));
}

/// Unlike a run that goes on in its own folder, this takes no older checkpoint and removes none.
ReadCheckpoint newest_checkpoint_of(const fs::path& run) {
  if (!fs::is_directory(run))
    throw InputError(concat("--continue ", run.string(), ": there is no such folder: give the output folder of a run"));
  if (is_output_in_use(run))
    throw InputError(concat("--continue ", run.string(), ": a run still trains there: wait for its end, or stop it ",
                            "(after SIGTERM it leaves a checkpoint)"));
  const CheckpointFolder checkpoints = checkpoints_in(run);
  const std::vector<std::int64_t> steps = checkpoints.steps();
  if (steps.empty()) refuse_without_checkpoint(run);
  ReadCheckpoint newest{checkpoints.file(steps.back()), {}};
  try {
    newest.state = read_checkpoint(newest.file);
  } catch (const DamagedCheckpoint& damaged) {
    throw InputError(concat(
        "--continue ", run.string(), ": ", damaged.what(), ": ",
        steps.size() > 1 ? "move it away, and the checkpoint before it is taken" : "train the earlier run again"));
  }
  return newest;
}

/// Returns the lines on contents in a configuration, each once: those of the files of `task`, or, if it is empty, those
/// of files on which the weights depend. The checkpoint that a run continues is none of these: it has the same inputs.
std::string content_lines(const std::string& configuration, const std::string& task = "") {
  const std::string begin = "content of " + (task.empty() ? "" : concat("tasks.", task, "/"));
  std::set<std::string> known;
  std::string lines;
  for (const std::string& line : lines_of(configuration)) {
    const bool is_other =
        task.empty() && (line.starts_with("content of tasks.") || line.starts_with(content_of_continued));
    if (line.starts_with(begin) && !is_other && known.insert(line).second) lines += line + "\n";
  }
  return lines;
}

/// Returns whether the files of the task, also those that another task or the training reads, have the contents that a
/// configuration has of them.
bool has_contents_of(const std::string& configuration, const TaskSettings& task, const Trial& trial,
                     const Contents& contents) {
  const std::vector<std::string> lines = lines_of(configuration);
  const std::vector<fs::path> files = content_files_of(task);
  return std::all_of(contents.begin(), contents.end(), [&](const auto& content) {
    return !is_among(files, fs::path(content.first)) ||
           is_among(lines, concat("content of ", role_of_file(trial, content.first), ": ", content.second));
  });
}

/// Leaves out of the state the measurements of tasks that are not the trial's any more, and the best state if it is not
/// the one that the trial would select.
void leave_out_other_tasks(const std::set<std::string>& tasks, const Trial::Select& before, const Trial::Select& after,
                           TrainingState& state) {
  std::erase_if(state.curves, [&](const Curve& curve) { return !tasks.contains(curve.task); });
  for (StateResult& early : state.early)
    std::erase_if(early.tasks, [&](const Measurement& measured) { return !tasks.contains(measured.task); });
  std::erase_if(state.early, [](const StateResult& early) { return early.tasks.empty(); });
  const bool selects_the_same = before.task == after.task && before.metric == after.metric &&
                                tasks.contains(after.task) && state.best_step >= after.from_step;
  if (selects_the_same) return;
  state.best_step = -1;
  state.best_metric = 0;
  state.best_values = at::Tensor();
}

/// Does the work of rank 0.
EarlierRun read_on_root(const fs::path& run, const Trial& trial) {
  ReadCheckpoint newest = newest_checkpoint_of(run);
  const fs::path folder = (fs::absolute(run) / "").lexically_normal().parent_path();
  EarlierRun earlier{.provenance = {.folder = folder.string(),
                                    .run = content_hash_of(newest.state.configuration),
                                    .checkpoint = content_hash(newest.file),
                                    .step = newest.state.step,
                                    .changes = {}},
                     .patience_from = 0,
                     .configuration = in_present_form(newest.state.configuration),
                     .state = std::move(newest.state)};
  try {
    earlier.provenance.changes = changes_between(trial_of_configuration(earlier.configuration), trial);
  } catch (const InputError& refused) {
    throw InputError(concat("--continue ", run.string(), ": ", refused.what()));
  }
  return earlier;
}

/// Does the work of rank 0.
void compare_on_root(EarlierRun& earlier, const Trial& trial, const Contents& contents) {
  const std::string& there = earlier.configuration;
  const std::string here = resumable_configuration(trial, contents);
  const std::string inputs_there = content_lines(there), inputs_here = content_lines(here);
  if (inputs_there != inputs_here)
    throw InputError(concat("--continue ", earlier.provenance.folder, ": that run was made ",
                            difference_between(inputs_there, inputs_here),
                            ": a run that continues another reads the same training data and model"));
  const auto has_same_files = [&](const std::string& name) {
    const auto* task = find_by(trial.tasks, &TaskSettings::name, name);
    return content_lines(there, name) == content_lines(here, name) && has_contents_of(there, *task, trial, contents);
  };
  const Trial before = trial_of_configuration(there);
  leave_out_other_tasks(tasks_in_common(before, trial, has_same_files), before.select, trial.select, earlier.state);
}

}  // namespace

std::string trial_of_run(const fs::path& run) {
  const ReadCheckpoint newest = newest_checkpoint_of(run);
  if (newest.state.trial.empty())
    throw InputError(concat(newest.file.string(), ": this checkpoint of an earlier version does not hold its trial: ",
                            "give the trial's file as well: gausscse train TRIAL --continue ", run.string()));
  return newest.state.trial;
}

void check_apart(const fs::path& output, const fs::path& run) {
  if (lies_in(output, run))
    throw InputError(concat("output ", output.string(), " lies in the folder of the run that is continued, in which ",
                            "nothing is changed: give another `output` (--set output=FOLDER)"));
}

EarlierRun read_earlier_run(const fs::path& run, const Trial& trial, Communicator& communicator) {
  EarlierRun earlier;
  run_on_root(communicator, [&] { earlier = read_on_root(run, trial); });
  earlier.provenance.checkpoint = communicator.all_gather_text(earlier.provenance.checkpoint).front();
  std::vector<double> step{static_cast<double>(earlier.provenance.step)};
  broadcast_numbers(step, communicator);
  earlier.provenance.step = static_cast<std::int64_t>(step.front());
  return earlier;
}

void compare_inputs(EarlierRun& earlier, const Trial& trial, const Contents& contents, Communicator& communicator) {
  run_on_root(communicator, [&] { compare_on_root(earlier, trial, contents); });
  std::vector<double> best{static_cast<double>(earlier.state.best_step)};
  broadcast_numbers(best, communicator);
  const auto best_step = static_cast<std::int64_t>(best.front());
  const std::int64_t step = earlier.provenance.step;
  const auto* task = find_by(trial.tasks, &TaskSettings::name, trial.select.task);
  if (task && best_step >= 0 && step / task->eval_every - best_step / task->eval_every >= trial.select.patience)
    earlier.patience_from = step;
}

void check_steps_are_left(const EarlierRun& earlier, const Trial& trial, std::int64_t total_steps) {
  const std::int64_t done = earlier.provenance.step;
  if (total_steps > done) return;
  const std::string by = trial.training.max_steps > 0
                             ? concat("training.max_steps: ", trial.training.max_steps)
                             : concat("training.epochs: ", trial.training.epochs, " (", total_steps, " steps)");
  throw InputError(concat("--continue: the checkpoint is after step ", done, ", and ", by,
                          " leaves no step to train: give more, such as --set training.max_steps=", 2 * done));
}

bool keeps_checkpoint(const RunResult& result) {
  return parse_trial(result.configuration, "the result", "/").training.keep_checkpoint;
}

}  // namespace gausscse
