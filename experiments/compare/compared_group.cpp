#include "experiments/compare/compared_group.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "experiments/study/done_trial.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/result_file.hpp"

namespace gausscse {

namespace {

constexpr const char* how_groups_are_written = "a group is written RESULTS:axis=label,axis=label";

std::optional<std::string> label_of(const PlannedTrial& trial, const std::string& axis) {
  if (axis == "stage") return trial.stage;
  if (axis == "seed") return std::to_string(trial.seed);
  const std::string* label = label_on(trial, axis);
  return label ? std::optional(*label) : std::nullopt;
}

bool has_labels(const PlannedTrial& trial, const GroupSelection& selection) {
  return std::all_of(selection.labels.begin(), selection.labels.end(),
                     [&](const auto& wanted) { return label_of(trial, wanted.first) == wanted.second; });
}

/// Names the axis or label that no trial has; if all exist, reports that no trial has them together.
[[noreturn]] void refuse_empty_group(const StudyResults& study, const GroupSelection& selection) {
  for (const auto& [axis, wanted] : selection.labels) {
    std::vector<std::string> axes{"stage", "seed"}, labels;
    for (const StudyTrial& trial : study.trials) {
      for (const auto& [other, label] : trial.planned.coordinates) add_once(axes, other);
      if (const auto label = label_of(trial.planned, axis)) add_once(labels, *label);
    }
    if (labels.empty())
      throw InputError(concat(study.folder.string(), ": the study has no axis ", quoted(axis), nearest_name(axis, axes),
                              " (it has ", joined(axes), ")"));
    if (!is_among(labels, wanted))
      throw InputError(concat(study.folder.string(), ": the axis ", quoted(axis), " has no label ", quoted(wanted),
                              nearest_name(wanted, labels), " (it has ", joined(labels), ")"));
  }
  throw InputError(
      concat(study.folder.string(), ": no trial of the study has all of these labels together: give fewer"));
}

}  // namespace

std::optional<GroupSelection> parse_group_selection(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return std::nullopt;
  std::size_t colon = text.find(':');
  while (colon != std::string::npos && !std::filesystem::is_directory(text.substr(0, colon), ignored))
    colon = text.find(':', colon + 1);
  if (colon == std::string::npos) return std::nullopt;
  GroupSelection selection{text.substr(0, colon), {}};
  std::set<std::string> axes;
  for (std::size_t begin = colon + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string wanted = text.substr(begin, end - begin);
    const std::size_t equals = wanted.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw InputError(concat(quoted(text), ": ", quoted(wanted), " is no axis=label: ", how_groups_are_written));
    selection.labels.emplace_back(wanted.substr(0, equals), wanted.substr(equals + 1));
    if (!axes.insert(selection.labels.back().first).second)
      throw InputError(concat(quoted(text), ": the axis ", quoted(selection.labels.back().first),
                              " is there twice: ", how_groups_are_written));
    begin = end + 1;
  }
  return selection;
}

std::vector<const StudyTrial*> select_trials(const StudyResults& study, const GroupSelection& selection) {
  const StudyTrial* last = nullptr;
  for (const StudyTrial& trial : study.trials)
    if (has_labels(trial.planned, selection)) last = &trial;
  if (!last) refuse_empty_group(study, selection);
  std::vector<const StudyTrial*> selected;
  for (const StudyTrial& trial : study.trials)
    if (trial.planned.stage == last->planned.stage && has_labels(trial.planned, selection)) selected.push_back(&trial);
  return selected;
}

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
  group.warning = check_result_next_to_record(file);
  group.trials.push_back(compared(argument, read_result(file)));
  return group;
}

}  // namespace gausscse
