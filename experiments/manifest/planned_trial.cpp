#include "experiments/manifest/planned_trial.hpp"

#include "base/lists.hpp"

namespace gausscse {

const std::string* label_on(const PlannedTrial& trial, std::string_view axis) {
  const auto* found = find_by(trial.coordinates, &LabelsOnAxes::value_type::first, axis);
  return found ? &found->second : nullptr;
}

std::string title_of(const PlannedTrial& trial) {
  std::string title = trial.stage;
  for (const auto& [axis, label] : trial.coordinates) title += " " + label;
  return title + " seed " + std::to_string(trial.seed);
}

}  // namespace gausscse
