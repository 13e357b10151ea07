#include "experiments/compare/group_selection.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include "base/error.hpp"

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

void add_once(const std::string& text, std::vector<std::string>& to) {
  if (std::find(to.begin(), to.end(), text) == to.end()) to.push_back(text);
}

std::string listed(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + text;
  return list;
}

/// Says which axis or label there is none of; if there are all, that no trial has them together.
[[noreturn]] void refuse_empty_group(const StudyResults& study, const GroupSelection& selection) {
  for (const auto& [axis, wanted] : selection.labels) {
    std::vector<std::string> axes{"stage", "seed"}, labels;
    for (const StudyTrial& trial : study.trials) {
      for (const auto& [other, label] : trial.planned.coordinates) add_once(other, axes);
      if (const auto label = label_of(trial.planned, axis)) add_once(*label, labels);
    }
    if (labels.empty())
      throw InputError(concat(study.folder.string(), ": the study has no axis ", quoted(axis), nearest_name(axis, axes),
                              " (it has ", listed(axes), ")"));
    if (std::find(labels.begin(), labels.end(), wanted) == labels.end())
      throw InputError(concat(study.folder.string(), ": the axis ", quoted(axis), " has no label ", quoted(wanted),
                              nearest_name(wanted, labels), " (it has ", listed(labels), ")"));
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

}  // namespace gausscse
