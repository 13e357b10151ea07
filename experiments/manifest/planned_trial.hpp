#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

/// Axes and a label on each.
using LabelsOnAxes = std::vector<std::pair<std::string, std::string>>;

/// One trial of a study: its place in the manifest's grid, and its settings.
struct PlannedTrial {
  std::string stage;
  /// Axis and label of its value on it, in the order of the stage's axes; then the axes whose values an earlier stage
  /// chose, once it is known. The seed is no axis.
  LabelsOnAxes coordinates;
  std::int64_t seed = 0;
  /// Identity of the trial, regardless of its name and the place of its files (see `trial_identity`); empty while an
  /// earlier stage has still to choose some of its settings.
  std::string identity;
  /// Reason to wait while `identity` is empty.
  std::string waits_for;
  bool operator==(const PlannedTrial&) const = default;
};

/// Returns the label on an axis; nullptr where the trial is not on it. "seed" is not an axis.
const std::string* label_on(const PlannedTrial& trial, std::string_view axis);

/// Returns a title for people: "final bert-base ent+con seed 3".
std::string title_of(const PlannedTrial& trial);

}  // namespace gausscse
