#include "experiments/grid/probe.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include "base/atomic_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/host_name.hpp"
#include "base/temporary_name.hpp"
#include "experiments/grid/probe_plan.hpp"
#include "experiments/grid/study_estimate.hpp"
#include "experiments/grid/trial_costs_kind.hpp"
#include "experiments/grid/trial_outcome.hpp"
#include "experiments/results/result_file.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/trial/canonical_trial.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_log = std::size_t{64} << 20;
constexpr std::size_t told_log_bytes = 1000;
constexpr const char* scratch_name = "probe";

/// A new folder, removed with what it holds.
class ScratchFolder {
 public:
  explicit ScratchFolder(const fs::path& parent) : path_(temporary_sibling(parent / scratch_name)) {
    std::error_code error;
    fs::create_directories(path_, error);
    if (error) throw WriteError(concat("cannot make ", path_.string(), ": ", error.message()));
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Size and time of a file, or of the files of a folder and of those in it: a backbone may keep its weights in one.
std::string state_of_files(const fs::path& path) {
  std::error_code error;
  const auto state = [&](const fs::path& file) {
    return concat(file.string(), " ", fs::file_size(file, error), " ",
                  fs::last_write_time(file, error).time_since_epoch().count(), "\n");
  };
  if (!fs::is_directory(path, error)) return state(path);
  std::vector<std::string> states;
  for (fs::recursive_directory_iterator entry(path, error); !error && entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) states.push_back(state(entry->path()));
  }
  std::sort(states.begin(), states.end());
  std::string text;
  for (const std::string& one : states) text += one;
  return text;
}

/// What an outcome that is kept was measured of.
std::string name_of_probe(const UnknownKind& kind, const ProbeSettings& settings) {
  std::string text = concat(to_yaml(cost_kind(kind.trial)), "\nversion ", settings.version, "\nhost ", host_name(),
                            "\nlauncher ", name_of(settings.resources.launcher), "\nranks ", settings.resources.ranks,
                            "\nthreads ", settings.resources.threads, "\ngpus ", settings.resources.gpus, "\nslots ",
                            settings.slots.size(), "\nmodels ", settings.keep_models, "\n");
  for (const std::int64_t batch_size : kind.batch_sizes) text += concat("batch ", batch_size, "\n");
  for (const std::string& argument : settings.resources.launcher_arguments) text += concat("argument ", argument, "\n");
  for (const TrialInput& input : inputs_of(kind.trial)) {
    if (input.files.empty()) text += state_of_files(input.path);
    for (const fs::path& file : input.files) text += state_of_files(file);
  }
  return content_hash_of(text) + ".json";
}

/// One run in one slot.
ProbeOutcome outcome_in_slot(const ProbeRun& run, const ProbeSettings& settings, const TrialSlot& slot,
                             const fs::path& folder) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) throw WriteError(concat("cannot make ", folder.string(), ": ", error.message()));
  Trial trial = run.trial;
  trial.output = folder;
  write_file_atomically(folder / study_layout::trial_file, to_yaml(trial));
  const auto begin = std::chrono::steady_clock::now();
  ChildProcess child(train_command(settings.resources, slot, settings.program, folder));
  const ChildEnd end = child.wait();
  ProbeOutcome outcome;
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::string log = read_whole_file(folder / study_layout::log, largest_log);
  if (!end.succeeded())
    throw InputError(concat("a trial cut to ", trial.training.max_steps, " steps ended with ", to_text(end), ":\n",
                            log.substr(log.size() - std::min(log.size(), told_log_bytes))));
  outcome.examples = examples_in_log(log);
  for (const double rate : read_result(folder / study_layout::result).training.examples_per_second)
    if (rate > 0) outcome.step_seconds.push_back(static_cast<double>(trial.training.batch_size) / rate);
  if (outcome.step_seconds.empty()) throw InputError("a trial that was cut short did no step");
  outcome.memory_bytes = end.peak_memory_bytes * static_cast<std::uint64_t>(settings.resources.ranks);
  if (!settings.keep_models) fs::remove_all(folder / study_layout::model, error);
  outcome.disk_bytes = bytes_of_folder(folder);
  return outcome;
}

ProbeOutcome outcome_of(const ProbeRun& run, const ProbeSettings& settings, const fs::path& parent) {
  const ScratchFolder folder(parent);
  std::vector<ProbeOutcome> outcomes(settings.slots.size());
  std::vector<std::exception_ptr> failures(settings.slots.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < settings.slots.size(); ++i) {
    // Each waits in the thread that started it, with which it would end.
    threads.emplace_back([&, i] {
      try {
        outcomes[i] = outcome_in_slot(run, settings, settings.slots[i], folder.path() / std::to_string(i));
      } catch (...) {
        failures[i] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return middle_of(outcomes);
}

std::optional<ProbeRecord> kept_record(const fs::path& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  try {
    return read_probe_record(file);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<UnknownKind> unknown_kinds(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                                       const TrialCosts& costs, const Resources& resources) {
  GAUSSCSE_CHECK(statuses.size() == plan.size(), statuses.size(), " statuses");
  struct Kind {
    Trial kind;
    UnknownKind found;
    bool unknown = false;
  };
  std::vector<Kind> kinds;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i].trial || !is_to_run(statuses[i])) continue;
    const Trial& trial = *plan[i].trial;
    const Trial of_costs = cost_kind(trial);
    auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& one) { return one.kind == of_costs; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {of_costs, {trial, {}}});
    kind->found.batch_sizes.push_back(trial.training.batch_size);
    kind->unknown = kind->unknown || !costs.expected(trial, resources);
  }
  std::vector<UnknownKind> unknown;
  for (Kind& kind : kinds) {
    if (!kind.unknown) continue;
    const auto [least, most] = std::minmax_element(kind.found.batch_sizes.begin(), kind.found.batch_sizes.end());
    kind.found.batch_sizes = *least == *most ? std::vector{*least} : std::vector{*least, *most};
    unknown.push_back(std::move(kind.found));
  }
  return unknown;
}

ProbeRecord probe(const UnknownKind& kind, const ProbeSettings& settings) {
  GAUSSCSE_CHECK(!settings.slots.empty(), "no slots");
  const bool keeps = !settings.cache_folder.empty();
  const fs::path file = settings.cache_folder / name_of_probe(kind, settings);
  if (keeps)
    if (std::optional<ProbeRecord> record = kept_record(file)) return *std::move(record);
  // What a dry run that was killed left there.
  if (keeps) remove_abandoned_siblings(settings.cache_folder / scratch_name);
  const std::vector<ProbeRun> runs = probe_runs(kind.trial, kind.batch_sizes);
  std::vector<ProbeOutcome> outcomes;
  const fs::path parent = keeps ? fs::absolute(settings.cache_folder) : fs::temp_directory_path();
  for (const ProbeRun& run : runs) outcomes.push_back(outcome_of(run, settings, parent));
  const ProbeRecord record =
      probe_record_of(kind.trial, runs, outcomes, settings.resources.ranks, settings.resources.threads);
  if (keeps) write_probe_record(file, record);
  return record;
}

std::vector<std::string> learn_by_probes(const std::vector<StudyPlanEntry>& plan, std::span<const TrialStatus> statuses,
                                         const ProbeSettings& settings, TrialCosts& costs,
                                         const std::function<void(std::size_t number, std::size_t count)>& tell) {
  std::vector<std::string> problems;
  const std::vector<UnknownKind> kinds = unknown_kinds(plan, statuses, costs, settings.resources);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (tell) tell(i + 1, kinds.size());
    try {
      costs.learn(kinds[i].trial, probe(kinds[i], settings));
    } catch (const InputError& error) {
      problems.push_back(error.what());
    } catch (const SystemError& error) {
      problems.push_back(error.what());
    }
  }
  return problems;
}

}  // namespace gausscse
