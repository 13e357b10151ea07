#include "experiments/manifest/planned_trial.hpp"

namespace gausscse {

const std::string* label_on(const PlannedTrial& trial, std::string_view axis) {
  for (const auto& [name, label] : trial.coordinates)
    if (name == axis) return &label;
  return nullptr;
}

std::string title_of(const PlannedTrial& trial) {
  std::string title = trial.stage;
  for (const auto& [axis, label] : trial.coordinates) title += " " + label;
  return title + " seed " + std::to_string(trial.seed);
}

}  // namespace gausscse
