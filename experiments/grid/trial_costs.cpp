#include "experiments/grid/trial_costs.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "experiments/grid/trial_costs_fit.hpp"
#include "experiments/grid/trial_costs_kind.hpp"

namespace gausscse {

namespace {

bool makes_sense(const Trial& trial, const RunRecord& run) {
  return trial.training.batch_size > 0 && run.steps > 0 && run.ranks > 0 && run.threads > 0 &&
         std::isfinite(run.seconds) && std::isfinite(run.step_seconds) && run.step_seconds > 0 &&
         run.step_seconds <= run.seconds;
}

std::map<double, double> medians(const std::map<double, std::vector<double>>& values) {
  std::map<double, double> medians;
  for (const auto& [size, of_size] : values) medians[size] = median(of_size);
  return medians;
}

/// What a probe makes of all but steps.
double probed_rest(const ProbeRecord& probe, const Trial& trial, std::int64_t steps) {
  const bool selects = !trial.select.task.empty();
  double seconds = probe.start_seconds + probe.measurement_seconds * (selects ? 2 : 1);
  for (const ProbeRecord::Period& period : probe.periods)
    if (period.eval_every > 0)
      seconds += period.seconds * std::ceil(static_cast<double>(steps) / static_cast<double>(period.eval_every));
  return seconds;
}

}  // namespace

TrialCosts::Kind& TrialCosts::kind_of(const Trial& trial, std::int64_t ranks, std::int64_t threads) {
  const Trial of_costs = cost_kind(trial);
  for (Kind& kind : kinds_)
    if (kind.ranks == ranks && kind.threads == threads && kind.trial == of_costs) return kind;
  Kind& added = kinds_.emplace_back();
  added.trial = of_costs;
  added.ranks = ranks;
  added.threads = threads;
  return added;
}

void TrialCosts::learn(const Trial& trial, const RunRecord& run) {
  if (!makes_sense(trial, run)) return;
  kind_of(trial, run.ranks, run.threads)
      .runs.push_back({.objective = trial.objective,
                       .batch_size = static_cast<double>(trial.training.batch_size),
                       .epochs = trial.training.max_steps > 0 ? 0 : trial.training.epochs,
                       .steps = run.steps,
                       .step_seconds = run.step_seconds / static_cast<double>(run.steps),
                       .rest_seconds = run.seconds - run.step_seconds,
                       .periodic = static_cast<double>(periodic_measurements(trial, run.steps)),
                       .interrupted = run.attempts > 1,
                       .memory_bytes = run.peak_memory_bytes * static_cast<std::uint64_t>(run.ranks),
                       .disk_bytes = run.disk_bytes});
}

void TrialCosts::learn(const Trial& trial, const ProbeRecord& probe) {
  kind_of(trial, probe.ranks, probe.threads).probe = probe;
}

std::optional<TrialCost> TrialCosts::expected(const Trial& trial) const {
  const Trial of_costs = cost_kind(trial);
  for (const Kind& kind : kinds_)
    if (kind.trial == of_costs) return cost_in(kind, trial);
  return std::nullopt;
}

std::optional<TrialCost> TrialCosts::expected(const Trial& trial, const Resources& resources) const {
  const Trial of_costs = cost_kind(trial);
  for (const Kind& kind : kinds_)
    if (kind.ranks == resources.ranks && kind.threads == resources.threads && kind.trial == of_costs)
      return cost_in(kind, trial);
  return std::nullopt;
}

std::optional<TrialCost> TrialCosts::cost_in(const Kind& kind, const Trial& trial) {
  const std::optional<std::int64_t> steps = steps_in(kind, trial);
  const std::optional<double> step_seconds = step_seconds_in(kind, trial);
  if (!steps || !step_seconds) return std::nullopt;
  return TrialCost{.seconds = static_cast<double>(*steps) * *step_seconds + rest_seconds_in(kind, trial, *steps),
                   .memory_bytes = memory_in(kind, trial),
                   .disk_bytes = disk_in(kind)};
}

std::optional<std::int64_t> TrialCosts::steps_in(const Kind& kind, const Trial& trial) {
  if (trial.training.max_steps > 0) return trial.training.max_steps;
  if (kind.probe) {
    const std::int64_t of_epoch = steps_per_epoch(trial, kind.probe->examples);
    if (of_epoch == 0) return std::nullopt;
    return of_epoch * trial.training.epochs;
  }
  const auto batch_size = static_cast<double>(trial.training.batch_size);
  // The number of examples lies between these two, as the steps of other batch sizes tell.
  double fewest = 0, most = INFINITY;
  for (const Run& run : kind.runs) {
    if (run.epochs == 0) continue;
    const std::int64_t of_epoch = run.steps / run.epochs;
    if (run.batch_size == batch_size) return of_epoch * trial.training.epochs;
    const auto full = static_cast<double>(of_epoch) * run.batch_size;
    const bool drops = trial.data.last_batch == setting::LastBatch::drop;
    fewest = std::max(fewest, drops ? full : full - run.batch_size + 1);
    most = std::min(most, drops ? full + run.batch_size - 1 : full);
  }
  if (most < fewest || std::isinf(most)) return std::nullopt;
  const std::int64_t of_epoch = steps_per_epoch(trial, static_cast<std::int64_t>((fewest + most) / 2));
  return std::max<std::int64_t>(of_epoch, 1) * trial.training.epochs;
}

std::optional<double> TrialCosts::step_seconds_in(const Kind& kind, const Trial& trial) {
  const auto batch_size = static_cast<double>(trial.training.batch_size);
  std::vector<double> like_it;
  std::map<double, std::vector<double>> of_size;
  for (const Run& run : kind.runs) {
    of_size[run.batch_size].push_back(run.step_seconds);
    if (run.batch_size == batch_size && run.objective == trial.objective) like_it.push_back(run.step_seconds);
  }
  if (!like_it.empty()) return median(like_it);
  std::map<double, double> costs = medians(of_size);
  if (kind.probe) {
    // Trials that ran beside others may all have been slower than a probe.
    std::vector<double> slower;
    for (const ProbeRecord::Step& step : kind.probe->steps)
      if (const auto same = costs.find(static_cast<double>(step.batch_size)); same != costs.end())
        slower.push_back(same->second / step.seconds);
    const double factor = slower.empty() ? 1 : median(slower);
    for (const ProbeRecord::Step& step : kind.probe->steps)
      costs.emplace(static_cast<double>(step.batch_size), step.seconds * factor);
  }
  if (costs.empty()) return std::nullopt;
  return cost_at(costs, batch_size);
}

double TrialCosts::rest_seconds_in(const Kind& kind, const Trial& trial, std::int64_t steps) {
  const auto periodic = static_cast<double>(periodic_measurements(trial, steps));
  const bool all_interrupted =
      std::all_of(kind.runs.begin(), kind.runs.end(), [](const Run& run) { return run.interrupted; });
  std::map<double, std::vector<double>> of_count;
  for (const Run& run : kind.runs)
    if (!run.interrupted || all_interrupted) of_count[run.periodic].push_back(run.rest_seconds);
  const std::map<double, double> rests = medians(of_count);
  if (const auto same = rests.find(periodic); same != rests.end()) return same->second;
  if (rests.size() >= 2) return fit_cost_line(rests).at(periodic);
  if (rests.empty()) return probed_rest(*kind.probe, trial, steps);
  const auto& [known, rest] = *rests.begin();
  if (kind.probe) {
    const auto run = std::find_if(kind.runs.begin(), kind.runs.end(),
                                  [&](const Run& one) { return !one.interrupted || all_interrupted; });
    const double probed = probed_rest(*kind.probe, trial, run->steps);
    if (probed > 0) return rest * probed_rest(*kind.probe, trial, steps) / probed;
  }
  // Nothing tells what of it was measuring: all, each task as long as another.
  const double at_end = static_cast<double>(trial.tasks.size()) * (trial.select.task.empty() ? 1 : 2);
  return at_end + known > 0 ? rest * (at_end + periodic) / (at_end + known) : rest;
}

std::uint64_t TrialCosts::memory_in(const Kind& kind, const Trial& trial) {
  std::map<double, double> highest;
  const auto add = [&](double batch_size, std::uint64_t bytes) {
    double& here = highest[batch_size];
    here = std::max(here, static_cast<double>(bytes));
  };
  for (const Run& run : kind.runs) add(run.batch_size, run.memory_bytes);
  if (kind.probe)
    for (const ProbeRecord::Step& step : kind.probe->steps)
      if (!highest.contains(static_cast<double>(step.batch_size)))
        add(static_cast<double>(step.batch_size), step.memory_bytes);
  const auto batch_size = static_cast<double>(trial.training.batch_size);
  // Rather too much than too little: of one size alone it is not told what part of it grows.
  if (highest.size() == 1 && batch_size < highest.begin()->first)
    return static_cast<std::uint64_t>(highest.begin()->second);
  return static_cast<std::uint64_t>(cost_at(highest, batch_size));
}

std::uint64_t TrialCosts::disk_in(const Kind& kind) {
  if (kind.runs.empty()) return kind.probe->disk_bytes;
  std::vector<double> bytes;
  for (const Run& run : kind.runs) bytes.push_back(static_cast<double>(run.disk_bytes));
  return static_cast<std::uint64_t>(median(bytes));
}

}  // namespace gausscse
