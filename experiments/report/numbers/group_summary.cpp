#include "experiments/report/numbers/group_summary.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "config/tasks/task_settings.hpp"
#include "results/result_file.hpp"

namespace gausscse {

namespace {

constexpr std::string_view untrained_state = "untrained";

bool counts_unlabelled(const std::optional<Trial>& trial, const std::string& task) {
  if (!trial) return true;
  setting::NoGoldLabel treatment = trial->evaluation.no_gold_label;
  for (const TaskSettings& settings : trial->tasks)
    if (const auto* nli = std::get_if<NliTaskSettings>(&settings.of_kind); nli && settings.name == task)
      treatment = nli->no_gold_label.value_or(treatment);
  return treatment == setting::NoGoldLabel::non_entailment;
}

std::vector<double> as_numbers(const std::vector<std::int64_t>& steps) {
  return {steps.begin(), steps.end()};
}

/// Returns the element that `is_it` holds for, which is appended as `added` where there is none.
template <typename Element, typename IsIt>
Element& found_or_added(std::vector<Element>& elements, const IsIt& is_it, Element&& added) {
  const auto found = std::find_if(elements.begin(), elements.end(), is_it);
  return found == elements.end() ? elements.emplace_back(std::forward<Element>(added)) : *found;
}

void add_curves(const std::vector<Curve>& curves, GroupSummary& summary) {
  for (const Curve& curve : curves) {
    const std::vector<double> steps = as_numbers(curve.step);
    for (const Curve::Line& line : curve.lines) {
      if (!is_drawn_metric(line.metric, line.unit) || line.values.size() != steps.size()) continue;
      const auto is_it = [&](const MetricBand& band) { return band.task == curve.task && band.metric == line.metric; };
      MetricBand added{curve.task, line.metric, line.unit, Band(summary.most_points)};
      found_or_added(summary.curves, is_it, std::move(added)).band.add(steps, line.values);
    }
  }
}

void add_metrics(const Measurement& measurement, GroupSummary& summary) {
  for (const Metric& metric : measurement.metrics) {
    if (!is_drawn_metric(metric.name, metric.unit) || !std::isfinite(metric.value)) continue;
    const auto is_it = [&](const MetricMean& m) { return m.task == measurement.task && m.metric == metric.name; };
    MetricMean& known =
        found_or_added(summary.metrics, is_it, {measurement.task, measurement.kind, metric.name, metric.unit, 0, 0});
    ++known.seeds;
    known.mean += (metric.value - known.mean) / static_cast<double>(known.seeds);
  }
}

void add_geometry_task(const RunResult& result, const Measurement& kept, GroupSummary& group) {
  const auto is_it = [&](const GeometrySummary& summary) { return summary.task == kept.task; };
  GeometrySummary& summary = found_or_added(group.geometry, is_it, {kept.task, group.most_points});
  const StateResult* untrained = find_state(result, untrained_state);
  const Measurement* before = untrained ? find_measurement(untrained->tasks, kept.task) : nullptr;
  summary.add(before, kept);
}

void add_nli_task(const Measurement& kept, bool with_unlabelled, GroupSummary& group) {
  const auto is_it = [&](const ProbabilitySummary& summary) { return summary.task == kept.task; };
  ProbabilitySummary added;
  added.task = kept.task;
  found_or_added(group.probabilities, is_it, std::move(added)).add(kept, with_unlabelled);
}

}  // namespace

bool is_drawn_metric(const std::string& metric, Unit unit) {
  return unit != Unit::count && metric.find('.') == std::string::npos;
}

bool is_drawn_state(std::string_view state) {
  return state == untrained_state;
}

bool is_drawn_column(std::string_view kind, std::string_view column) {
  return kind == NliTaskSettings::kind && (column == "probability" || column == "label" || column == "calibrated_on");
}

std::vector<std::string> GroupSummary::add(const RunResult& result, const std::optional<Trial>& trial) {
  std::vector<std::string> problems;
  const StateResult& kept = kept_state(result);
  for (const Measurement& measurement : kept.tasks) add_metrics(measurement, *this);
  ++seeds;
  if (!whole) return problems;
  loss.add(as_numbers(result.training.step), result.training.loss);
  add_curves(result.curves, *this);
  if (trial && !bounds) bounds = loss_bounds(trial->objective, trial->training.batch_size);
  for (const Measurement& measurement : kept.tasks) {
    try {
      if (measurement.kind == GeometryTaskSettings::kind) add_geometry_task(result, measurement, *this);
      if (measurement.kind == NliTaskSettings::kind)
        add_nli_task(measurement, counts_unlabelled(trial, measurement.task), *this);
    } catch (const InputError& error) {
      problems.emplace_back(error.what());
    }
  }
  return problems;
}

}  // namespace gausscse
