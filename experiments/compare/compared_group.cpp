#include "experiments/compare/compared_group.hpp"

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "experiments/compare/group_selection.hpp"
#include "experiments/study/done_trial.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/result_file.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

ComparedTrial compared(const std::string& title, RunResult&& result) {
  ComparedTrial trial{title, kept_state(result), std::move(result.configuration), std::move(result.provenance), {}, {}};
  trial.untrained = !result.training.step.empty() && trial.kept.step == 0 && !trial.kept.state.empty();
  try {
    trial.trial = parse_trial(trial.configuration, title, "/");
    trial.seed = trial.trial->training.seed;
  } catch (const InputError&) {
    // One of a version whose keys were others: its metrics can be compared all the same.
  }
  return trial;
}

ComparedGroup group_of_study(const std::string& argument, const GroupSelection& selection) {
  const StudyResults study = read_study(selection.results);
  const std::vector<const StudyTrial*> selected = select_trials(study, selection);
  ComparedGroup group{argument, {}, {}};
  group.notes = study.doubts;
  if (std::string problem = manifest_problem(study); !problem.empty()) group.damaged.push_back(std::move(problem));
  std::vector<fs::path> unsealed;
  for (const StudyTrial* trial : selected) {
    if (trial->status == TrialStatus::done) {
      group.trials.push_back(compared(title_of(trial->planned), full_result(*trial)));
      // Its values come from result.h5, not from report.json.
      for (const fs::path& unprotected : trial->unprotected)
        if (unprotected.filename() == study_layout::result) unsealed.push_back(unprotected);
    } else {
      group.notes.push_back(concat(title_of(trial->planned), " is left out: it is ", name_of(trial->status),
                                   trial->problem.empty() ? "" : concat(" (", trial->problem, ")")));
    }
    if (trial->status == TrialStatus::damaged) group.damaged.push_back(group.notes.back());
  }
  group.warning = warning_of_unprotected(unsealed);
  if (group.trials.empty())
    throw InputError(concat(argument, ": none of its ", selected.size(), " trials is done (",
                            title_of(selected.front()->planned), " is ", name_of(selected.front()->status), ")"));
  return group;
}

}  // namespace

ComparedGroup read_compared_group(const std::string& argument) {
  if (const auto selection = parse_group_selection(argument)) return group_of_study(argument, *selection);
  fs::path file = argument;
  std::error_code ignored;
  if (!fs::exists(file, ignored) && argument.find(':') != std::string::npos)
    throw InputError(concat(argument, ": there is no such file, and no folder before a colon: give a result file, the ",
                            "folder of a trial, or RESULTS:axis=label,axis=label"));
  if (fs::is_directory(file, ignored)) {
    if (fs::exists(file / study_layout::plan, ignored))
      throw InputError(concat(argument, ": this is the results folder of a study: say which of its trials, as ",
                              argument, ":axis=label,axis=label"));
    file /= study_layout::result;
    if (!fs::exists(file, ignored))
      throw InputError(concat(argument, ": this folder has no ", study_layout::result, ": give a result file, the ",
                              "folder of a trial, or RESULTS:axis=label,axis=label"));
  }
  ComparedGroup group{argument, {}, {}};
  group.warning = check_result_beside_record(file);
  group.trials.push_back(compared(argument, read_result(file)));
  return group;
}

}  // namespace gausscse
