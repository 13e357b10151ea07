#include "experiments/grid/probe_plan.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <set>
#include <string_view>

#include "base/error.hpp"
#include "experiments/grid/trial_costs_fit.hpp"

namespace gausscse {

namespace {

/// Steps of large batches are long, and each is much like another.
std::int64_t steps_of_probe(std::int64_t batch_size) {
  return batch_size < 64 ? 6 : 3;
}

Trial shortened(const Trial& trial, std::int64_t batch_size, std::int64_t steps) {
  Trial shorter = trial;
  shorter.training.batch_size = batch_size;
  shorter.training.max_steps = steps;
  shorter.training.checkpoint_every = 0;
  shorter.training.checkpoint_minutes = 0;
  shorter.select = {};
  for (TaskSettings& task : shorter.tasks) task.eval_every = 0;
  return shorter;
}

Trial without_tasks(Trial trial) {
  trial.tasks.clear();
  return trial;
}

/// The tasks of a period, and those that they need.
std::set<std::string> tasks_of_period(const Trial& trial, std::int64_t eval_every) {
  std::set<std::string> names;
  for (const TaskSettings& task : trial.tasks) {
    if (task.eval_every != eval_every) continue;
    names.insert(task.name);
    if (const std::string source = threshold_task_of(task); !source.empty()) names.insert(source);
  }
  return names;
}

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// What a run took but for its steps.
double rest_of(const ProbeOutcome& outcome) {
  return std::max(0.0, outcome.seconds - sum_of(outcome.step_seconds));
}

double seconds_of_step(const ProbeOutcome& outcome) {
  std::vector<double> seconds = outcome.step_seconds;
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  return median(std::move(seconds));
}

}  // namespace

std::vector<ProbeRun> probe_runs(const Trial& trial, std::span<const std::int64_t> batch_sizes) {
  GAUSSCSE_CHECK(!batch_sizes.empty(), "no batch size");
  const Trial one_step = shortened(trial, batch_sizes.front(), 1);
  std::vector<ProbeRun> runs;
  runs.push_back({ProbePurpose::warm_up, 0, without_tasks(one_step)});
  for (const std::int64_t batch_size : batch_sizes)
    runs.push_back({ProbePurpose::steps, 0, without_tasks(shortened(trial, batch_size, steps_of_probe(batch_size)))});
  if (trial.tasks.empty()) return runs;
  runs.push_back({ProbePurpose::measurement, 0, one_step});
  std::set<std::int64_t> periods;
  for (const TaskSettings& task : trial.tasks)
    if (task.eval_every > 0) periods.insert(task.eval_every);
  for (const std::int64_t eval_every : periods) {
    const std::set<std::string> names = tasks_of_period(trial, eval_every);
    // Of all tasks the measurement tells it.
    if (names.size() == trial.tasks.size()) continue;
    ProbeRun run{ProbePurpose::period, eval_every, one_step};
    std::erase_if(run.trial.tasks, [&](const TaskSettings& task) { return !names.contains(task.name); });
    runs.push_back(std::move(run));
  }
  return runs;
}

ProbeOutcome middle_of(std::span<const ProbeOutcome> outcomes) {
  GAUSSCSE_CHECK(!outcomes.empty(), "no outcome");
  ProbeOutcome middle = outcomes.front();
  std::vector<double> seconds;
  for (const ProbeOutcome& outcome : outcomes) {
    seconds.push_back(outcome.seconds);
    middle.memory_bytes = std::max(middle.memory_bytes, outcome.memory_bytes);
    middle.disk_bytes = std::max(middle.disk_bytes, outcome.disk_bytes);
  }
  middle.seconds = median(seconds);
  for (std::size_t step = 0; step < middle.step_seconds.size(); ++step) {
    std::vector<double> of_step;
    for (const ProbeOutcome& outcome : outcomes)
      if (step < outcome.step_seconds.size()) of_step.push_back(outcome.step_seconds[step]);
    middle.step_seconds[step] = median(of_step);
  }
  return middle;
}

ProbeRecord probe_record_of(const Trial& trial, std::span<const ProbeRun> runs, std::span<const ProbeOutcome> outcomes,
                            std::int64_t ranks, std::int64_t threads) {
  GAUSSCSE_CHECK(runs.size() == outcomes.size(), runs.size(), " runs, ", outcomes.size(), " outcomes");
  ProbeRecord record;
  record.ranks = ranks;
  record.threads = threads;
  std::uint64_t measuring_memory = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ProbeOutcome& outcome = outcomes[i];
    const double more_than_start = std::max(0.0, rest_of(outcome) - record.start_seconds);
    switch (runs[i].purpose) {
      case ProbePurpose::warm_up:
        record.examples = outcome.examples;
        break;
      case ProbePurpose::steps:
        if (record.steps.empty()) record.start_seconds = rest_of(outcome);
        record.steps.push_back({.batch_size = runs[i].trial.training.batch_size,
                                .seconds = seconds_of_step(outcome),
                                .memory_bytes = outcome.memory_bytes});
        break;
      case ProbePurpose::measurement:
        record.measurement_seconds = more_than_start;
        measuring_memory = outcome.memory_bytes;
        break;
      case ProbePurpose::period:
        record.periods.push_back({.eval_every = runs[i].eval_every, .seconds = more_than_start});
        break;
    }
    record.disk_bytes = std::max(record.disk_bytes, outcome.disk_bytes);
  }
  for (ProbeRecord::Step& step : record.steps) step.memory_bytes = std::max(step.memory_bytes, measuring_memory);
  for (const TaskSettings& task : trial.tasks) {
    const auto known =
        std::find_if(record.periods.begin(), record.periods.end(),
                     [&](const ProbeRecord::Period& period) { return period.eval_every == task.eval_every; });
    if (task.eval_every > 0 && known == record.periods.end())
      record.periods.push_back({.eval_every = task.eval_every, .seconds = record.measurement_seconds});
  }
  return record;
}

std::int64_t examples_in_log(const std::string& log) {
  constexpr std::string_view line_begin = "training data: ", after = " examples, ";
  const std::size_t line = log.find(line_begin);
  const std::size_t end = line == std::string::npos ? line : log.find(after, line);
  if (end == std::string::npos) throw InputError("the log of a training does not tell its number of examples");
  const std::size_t begin = log.rfind(' ', end - 1) + 1;
  std::int64_t examples = 0;
  const auto read = std::from_chars(log.data() + begin, log.data() + end, examples);
  if (read.ec != std::errc() || read.ptr != log.data() + end || examples <= 0)
    throw InputError(concat("the log of a training tells ", quoted(log.substr(begin, end - begin)), " examples"));
  return examples;
}

}  // namespace gausscse
