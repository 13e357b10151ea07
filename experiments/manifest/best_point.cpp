#include "experiments/manifest/best_point.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

struct PointMean {
  LabelsOnAxes labels;  ///< on axes that are not those of the group
  const AxisSettings* settings;
  double sum = 0;
  int trials = 0;
};

bool is_of_group(const PlannedTrial& trial, const BestOf& best_of, const LabelsOnAxes& group) {
  return std::all_of(best_of.within.begin(), best_of.within.end(), [&](const std::string& axis) {
    const auto* label = find_by(group, &LabelsOnAxes::value_type::first, axis);
    const std::string* other = label_on(trial, axis);
    return other && label && *other == label->second;
  });
}

LabelsOnAxes chosen_labels(const PlannedTrial& trial, const BestOf& best_of) {
  LabelsOnAxes labels;
  for (const auto& entry : trial.coordinates)
    if (!is_among(best_of.within, entry.first)) labels.push_back(entry);
  return labels;
}

void add(const EarlierTrial& trial, const BestOf& best_of, double metric, std::vector<PointMean>& points) {
  if (std::isnan(metric))
    throw InputError(concat(to_string(best_of.position), ": best_of.figure: the trial ", title_of(trial.planned),
                            " is done and has no metric ", quoted(best_of.metric),
                            " of the state that it kept: name one that `gausscse show` prints of it"));
  const LabelsOnAxes labels = chosen_labels(trial.planned, best_of);
  PointMean* point = find_by(points, &PointMean::labels, labels);
  if (!point) point = &points.emplace_back(PointMean{labels, &trial.settings});
  point->sum += metric;
  ++point->trials;
}

}  // namespace

BestPoint choose_best(const BestOf& best_of, const LabelsOnAxes& group, const std::vector<EarlierTrial>& trials,
                      const EarlierTrials& earlier) {
  std::vector<PointMean> points;
  int open = 0, failed = 0;
  for (const EarlierTrial& trial : trials) {
    if (trial.planned.stage != best_of.stage || !is_of_group(trial.planned, best_of, group)) continue;
    const auto metric = trial.planned.identity.empty() ? std::nullopt : earlier.metric(trial.planned, best_of.metric);
    if (metric)
      add(trial, best_of, *metric, points);
    else if (earlier.failed(trial.planned))
      ++failed;
    else
      ++open;
  }
  if (open > 0) return {{}, {}, concat(counted(open, "trial"), " of the stage ", best_of.stage)};
  if (failed > 0 && (best_of.failed == setting::FailedTrials::block || points.empty()))
    return {{}, {}, concat(counted(failed, "failed trial"), " of the stage ", best_of.stage)};
  if (points.empty())
    return {{}, {}, concat("a trial of the stage ", best_of.stage, " with its labels: there is none")};
  const auto mean = [](const PointMean& point) { return point.sum / point.trials; };
  // The first of equal ones.
  const auto best = std::max_element(points.begin(), points.end(),
                                     [&](const PointMean& a, const PointMean& b) { return mean(a) < mean(b); });
  return {best->labels, *best->settings, ""};
}

}  // namespace gausscse
