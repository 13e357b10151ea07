#pragma once

#include <string>
#include <utility>
#include <vector>

#include "experiments/manifest/plan.hpp"

namespace gausscse {

/// Axes and the settings of their values: maps of trial keys.
using AxisSettings = std::vector<std::pair<std::string, YamlNode>>;

/// Point that a stage takes over from an earlier one, or the reason why it cannot be found out yet. It holds the labels
/// on the axes that the choice was made over, and the settings on all of the chosen point's axes. Among these are those
/// of its group, which the stage has itself.
struct BestPoint {
  LabelsOnAxes labels;
  AxisSettings settings;
  std::string waits_for;  ///< empty: it is known
};

/// A trial of an earlier stage, with the settings on all axes that it is on.
struct EarlierTrial {
  PlannedTrial planned;
  AxisSettings settings;
};

/// Returns the best of the trials of `best_of.stage` whose labels on the axes `best_of.within` are those of `group`. It
/// is the point with the highest mean of the metric over its seeds, of equals the first. Throws InputError where a done
/// trial has no such metric.
BestPoint choose_best(const BestOf& best_of, const LabelsOnAxes& group, const std::vector<EarlierTrial>& trials,
                      const EarlierTrials& earlier);

}  // namespace gausscse
