#include "experiments/report/numbers/group_summary.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "config/tasks/task_settings.hpp"
#include "results/result_file.hpp"

namespace gausscse {

namespace {

bool is_shown(const std::string& figure, Unit unit) {
  return unit != Unit::count && figure.find('.') == std::string::npos;
}

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

}  // namespace

BandOfSeeds& GroupSummaryOfSeeds::band_of(std::vector<Named>& bands, const std::string& task, const std::string& figure,
                                          Unit unit) {
  for (Named& named : bands)
    if (named.task == task && named.figure == figure) return named.band;
  return bands.emplace_back(Named{task, figure, unit, BandOfSeeds(most_points_)}).band;
}

void GroupSummaryOfSeeds::add_curves(const std::vector<Curve>& curves) {
  for (const Curve& curve : curves) {
    const std::vector<double> steps = as_numbers(curve.step);
    for (const Curve::Line& line : curve.lines)
      if (is_shown(line.figure, line.unit) && line.values.size() == steps.size())
        band_of(curves_, curve.task, line.figure, line.unit).add(steps, line.values);
  }
}

void GroupSummaryOfSeeds::add_figures(const Measurement& measurement) {
  for (const Figure& figure : measurement.figures) {
    if (!is_shown(figure.name, figure.unit) || !std::isfinite(figure.value)) continue;
    auto known = std::find_if(figures_.begin(), figures_.end(), [&](const MeanFigure& mean) {
      return mean.task == measurement.task && mean.figure == figure.name;
    });
    if (known == figures_.end())
      known = figures_.insert(figures_.end(), {measurement.task, measurement.kind, figure.name, figure.unit, 0, 0});
    ++known->seeds;
    known->mean += (figure.value - known->mean) / static_cast<double>(known->seeds);
  }
}

void GroupSummaryOfSeeds::add_geometry(const RunResult& result, const Measurement& kept) {
  const StateResult* untrained = find_state(result, "untrained");
  auto known = std::find_if(geometry_.begin(), geometry_.end(), [&](const auto& of) { return of.first == kept.task; });
  if (known == geometry_.end())
    known = geometry_.insert(geometry_.end(), {kept.task, GeometrySummaryOfSeeds(most_points_)});
  const Measurement* before = untrained ? find_measurement(untrained->tasks, kept.task) : nullptr;
  known->second.add(before, kept);
  for (const StateResult& state : result.states)
    if (const Measurement* early = find_measurement(state.tasks, kept.task);
        before && early && state.state.starts_with("step_"))
      known->second.add_early(*before, *early, state.step);
}

std::vector<std::string> GroupSummaryOfSeeds::add(const RunResult& result, const std::optional<Trial>& trial) {
  std::vector<std::string> problems;
  const StateResult& kept = kept_state(result);
  for (const Measurement& measurement : kept.tasks) add_figures(measurement);
  ++seeds_;
  if (!whole_) return problems;
  loss_.add(as_numbers(result.training.step), result.training.loss);
  add_curves(result.curves);
  if (trial && !bounds_) bounds_ = loss_bounds(trial->objective, trial->training.batch_size);
  for (const Measurement& measurement : kept.tasks) {
    if (measurement.kind == GeometryTaskSettings::kind) {
      try {
        add_geometry(result, measurement);
      } catch (const InputError& error) {
        problems.emplace_back(error.what());
      }
    }
    if (measurement.kind != NliTaskSettings::kind) continue;
    auto known = std::find_if(nli_.begin(), nli_.end(), [&](const auto& of) { return of.first == measurement.task; });
    if (known == nli_.end()) {
      const auto source = trial ? nli_source_of(*trial, measurement.task, result.provenance) : std::nullopt;
      known = nli_.insert(nli_.end(), {measurement.task, {{}, source}});
    }
    try {
      known->second.seeds.add(measurement, counts_unlabelled(trial, measurement.task));
    } catch (const InputError& error) {
      problems.emplace_back(error.what());
    }
  }
  return problems;
}

GroupSummary GroupSummaryOfSeeds::summary() const {
  GroupSummary summary;
  summary.seeds = seeds_;
  summary.loss = loss_.band();
  for (const Named& named : curves_)
    summary.curves.push_back({named.task, named.figure, named.unit, named.band.band()});
  summary.figures = figures_;
  summary.bounds = bounds_;
  for (const auto& [task, seeds] : geometry_) {
    summary.geometry.push_back(seeds.summary());
    summary.geometry.back().task = task;
  }
  for (const auto& [task, of_nli] : nli_) {
    NliOfGroup& nli = summary.nli.emplace_back(NliOfGroup{of_nli.seeds.summary(), of_nli.source});
    nli.summary.task = task;
  }
  return summary;
}

}  // namespace gausscse
