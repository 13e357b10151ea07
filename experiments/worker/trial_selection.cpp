#include "experiments/worker/trial_selection.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/lists.hpp"

namespace gausscse {

namespace {

constexpr const char* seed_axis = "seed";

/// Returns nothing where the trial is not on the axis, or it is not known yet where.
std::optional<std::string> place_on(const PlannedTrial& trial, const std::string& axis) {
  if (axis == seed_axis) return std::to_string(trial.seed);
  const std::string* label = label_on(trial, axis);
  return label ? std::optional(*label) : std::nullopt;
}

std::string list_of(const std::set<std::string>& names) {
  return joined(names, ", ", [](const std::string& name) { return quoted(name); });
}

std::set<std::string> axes_of(const std::vector<StudyPlanEntry>& plan) {
  std::set<std::string> axes{seed_axis};
  for (const StudyPlanEntry& entry : plan)
    for (const auto& [axis, label] : entry.planned.coordinates) axes.insert(axis);
  return axes;
}

void check_labels(const std::vector<StudyPlanEntry>& plan, const std::string& axis,
                  const std::set<std::string>& wanted) {
  std::set<std::string> there;
  for (const StudyPlanEntry& entry : plan)
    if (const auto label = place_on(entry.planned, axis)) there.insert(*label);
  if (there.empty())
    throw InputError(
        concat("--only ", axis, "=...: the study has no axis ", quoted(axis), "; it has ", list_of(axes_of(plan))));
  for (const std::string& label : wanted)
    if (there.count(label) == 0)
      throw InputError(
          concat("--only ", axis, "=", label, ": no trial is there on ", quoted(axis), ", which has ", list_of(there)));
}

}  // namespace

TrialSelection::TrialSelection(const std::vector<std::string>& only, std::string stage) : stage_(std::move(stage)) {
  for (const std::string& text : only) {
    const std::size_t sign = text.find('=');
    if (sign != std::string::npos && sign > 0 && sign + 1 < text.size())
      labels_[text.substr(0, sign)].insert(text.substr(sign + 1));
    else if (!text.empty() && text.find_first_not_of("0123456789abcdef") == std::string::npos)
      identities_.insert(text);
    else
      throw InputError(
          concat("--only ", quoted(text),
                 " is neither AXIS=LABEL nor seed=N nor the beginning of an identity (digits and the letters a to f)"));
  }
}

bool TrialSelection::has(const PlannedTrial& trial) const {
  if (!stage_.empty() && trial.stage != stage_) return false;
  for (const auto& [axis, wanted] : labels_) {
    const auto label = place_on(trial, axis);
    if (!label || wanted.count(*label) == 0) return false;
  }
  return identities_.empty() || std::any_of(identities_.begin(), identities_.end(), [&](const std::string& begin) {
           return trial.identity.starts_with(begin);
         });
}

void TrialSelection::check(const std::vector<StudyPlanEntry>& plan) const {
  if (!stage_.empty()) {
    std::set<std::string> stages;
    for (const StudyPlanEntry& entry : plan) stages.insert(entry.planned.stage);
    if (stages.count(stage_) == 0)
      throw InputError(concat("--stage ", quoted(stage_), ": the study has the stages ", list_of(stages)));
  }
  for (const auto& [axis, wanted] : labels_) check_labels(plan, axis, wanted);
  const bool some =
      std::any_of(plan.begin(), plan.end(), [&](const StudyPlanEntry& entry) { return has(entry.planned); });
  const bool some_wait =
      std::any_of(plan.begin(), plan.end(), [](const StudyPlanEntry& entry) { return entry.planned.identity.empty(); });
  if (!some && !some_wait) throw InputError("no trial of the study matches --only and --stage");
}

}  // namespace gausscse
