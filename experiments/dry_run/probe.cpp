#include "experiments/dry_run/probe.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <future>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_calls.hpp"
#include "base/lists.hpp"
#include "base/temporary_name.hpp"
#include "experiments/statistics/descriptive.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/result_file.hpp"
#include "results/training_reports.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t probe_steps = 5;
constexpr std::size_t largest_log = std::size_t{64} << 20;
constexpr std::size_t shown_log_bytes = 1000;
constexpr std::chrono::milliseconds between_looks(5);

/// Trains in a new folder and watches the progress file. `total_steps`, where it is asked for, is that of the training,
/// which is stopped after its first step.
ProbeTimes watched_training(Trial trial, const ProbeSettings& settings, const TrialSlot& slot, const fs::path& folder,
                            std::int64_t* total_steps = nullptr) {
  std::error_code error;
  if (!fs::create_directories(folder, error))
    throw WriteError(file_calls::refused_write_text(folder, "mkdir", error.value()));
  trial.output = folder;
  write_file_atomically(folder / study_layout::trial_file, to_yaml(trial));
  const auto begin = std::chrono::steady_clock::now();
  ChildProcess child(train_command(settings.resources, slot, settings.program, folder));
  ProbeTimes times;
  TrainingProgress seen;
  std::optional<ChildEnd> end;
  while (!end) {
    // The last look at the progress comes after the end.
    end = child.poll();
    times.end = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (const auto progress = read_progress(folder / study_layout::progress); progress && progress->step > seen.step) {
      if (seen.step == 0) times.first_step = times.end;
      times.last_step = times.end;
      seen = *progress;
      if (total_steps && std::exchange(*total_steps, seen.total_steps) == 0) child.send(SIGUSR2);
    }
    if (!end) std::this_thread::sleep_for(between_looks);
  }
  if (!end->succeeded() && !(total_steps && *total_steps > 0)) {
    const std::string log = read_whole_file(folder / study_layout::log, largest_log);
    throw InputError(concat("a probe ended with ", to_text(*end), ":\n",
                            log.substr(log.size() - std::min(log.size(), shown_log_bytes))));
  }
  return times;
}

TrialCost probe(const Trial& trial, const ProbeSettings& settings, const TrialSlot& slot, const fs::path& folder) {
  const Trial timed = probe_trial(trial);
  Trial whole = timed;
  whole.training.max_steps = trial.training.max_steps;
  whole.tasks.clear();
  whole.select = {};
  std::int64_t steps = 0;
  watched_training(whole, settings, slot, folder / "first", &steps);
  const fs::path second = folder / "second";
  ProbeTimes times = watched_training(timed, settings, slot, second);
  for (const double rate : read_result(second / study_layout::result).training.examples_per_second)
    if (rate > 0) times.steps.push_back(static_cast<double>(trial.training.batch_size) / rate);
  if (steps == 0 || times.steps.empty()) throw InputError("a probe did no step");
  const auto model_bytes = static_cast<double>(bytes_of_folder(second / study_layout::model));
  const double disk_bytes = static_cast<double>(bytes_of_folder(second)) - (settings.keep_models ? 0 : model_bytes);
  return {seconds_of_trial(trial, steps, times), disk_bytes, model_bytes};
}

}  // namespace

Trial probe_trial(const Trial& trial) {
  Trial probe = trial;
  probe.training.max_steps = probe_steps;
  probe.training.checkpoint_every = 0;
  probe.training.checkpoint_minutes = 0;
  for (TaskSettings& task : probe.tasks)
    if (task.eval_every > 0) task.eval_every = probe_steps - 1;
  return probe;
}

double seconds_of_trial(const Trial& trial, std::int64_t steps, const ProbeTimes& times) {
  GAUSSCSE_CHECK(!times.steps.empty(), "no steps");
  const std::vector<double> later(times.steps.begin() + 1, times.steps.end());
  std::int64_t periodic_tasks = 0, measurements = 0;
  for (const TaskSettings& task : trial.tasks) {
    if (task.eval_every == 0) continue;
    ++periodic_tasks;
    measurements += (steps + task.eval_every - 1) / task.eval_every;
  }
  // The time between two steps is that of one measurement of each of these tasks, and so lies before the first.
  double measuring = times.last_step - times.first_step - std::accumulate(later.begin(), later.end(), 0.0);
  measuring = periodic_tasks > 0 ? std::max(0.0, measuring) / static_cast<double>(periodic_tasks) : 0;
  const double start = times.first_step - times.steps.front() - static_cast<double>(periodic_tasks) * measuring;
  return std::max(0.0, start) + static_cast<double>(steps) * median_of(later.empty() ? times.steps : later) +
         static_cast<double>(measurements) * measuring + times.end - times.last_step;
}

std::vector<std::string> learn_by_probes(std::span<const Trial* const> trials, const ProbeSettings& settings,
                                         TrialCosts& costs, const std::function<void(std::size_t count)>& note) {
  std::vector<const Trial*> unknown;
  std::vector<Trial> kinds;
  for (const Trial* trial : trials) {
    Trial kind = cost_kind(*trial);
    if (costs.expected(*trial) || is_among(kinds, kind)) continue;
    kinds.push_back(std::move(kind));
    unknown.push_back(trial);
  }
  if (unknown.empty()) return {};
  note(unknown.size());
  const fs::path parent = settings.folder.empty() ? fs::temp_directory_path() : fs::absolute(settings.folder);
  std::error_code error;
  fs::create_directories(parent, error);
  if (error) throw WriteError(file_calls::refused_write_text(parent, "mkdir", error.value()));
  // A dry run that was killed leaves its folder.
  remove_abandoned_siblings(parent / "probe");
  const AtomicFolder scratch(parent / "probe");
  const std::size_t slots = settings.slots.size();
  std::vector<std::string> problems;
  for (std::size_t begin = 0; begin < unknown.size(); begin += slots) {
    // All slots are busy, as they will be: where fewer kinds are left, some are probed more than once. Each thread
    // waits for the processes that it started, which would end with it.
    const std::size_t count = std::min(slots, unknown.size() - begin);
    std::vector<std::future<TrialCost>> probes;
    for (std::size_t i = 0; i < slots; ++i)
      probes.push_back(std::async(std::launch::async, [&, begin, i] {
        return probe(*unknown[begin + i % count], settings, settings.slots[i], scratch.staging() / concat(begin + i));
      }));
    for (std::size_t i = 0; i < slots; ++i) {
      try {
        costs.learn(*unknown[begin + i % count], probes[i].get());
      } catch (const std::runtime_error& problem) {
        if (i < count) problems.emplace_back(problem.what());
      }
    }
  }
  return problems;
}

}  // namespace gausscse
