#include "tests/experiments/simulation/simulated_study.hpp"

#include <array>
#include <cstdio>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/worker/study_planner.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

const fs::path results = "/results";
/// Plan of trials that are all known from the begin.
class FixedPlan : public StudyPlanner {
 public:
  explicit FixedPlan(const std::vector<StudyPlanEntry>& trials) : StudyPlanner(results, {}) { trials_ = trials; }
  void plan(const std::set<std::string>&) override {}
  void write() const override {}
};

class NoStop : public StopRequests {
 public:
  int count() const override { return 0; }
  int signal() const override { return 0; }
};

class TracingObserver : public WorkerObserver {
 public:
  explicit TracingObserver(bool is_traced) : is_traced_(is_traced) {}
  void on_note(const std::string& text) override {
    if (is_traced_) std::printf("%s\n", text.c_str());
  }
  void on_warning(const std::string& text) override { on_note(text); }
  void on_progress(const WorkerProgress&) override {}

 private:
  bool is_traced_;
};

StudyPlanEntry trial_with_seed(std::int64_t seed) {
  StudyPlanEntry entry;
  entry.planned = {.stage = "all", .coordinates = {}, .seed = seed, .identity = concat("abc", seed), .waits_for = {}};
  entry.trial.emplace();
  entry.trial->training.seed = static_cast<decltype(entry.trial->training.seed)>(seed);
  return entry;
}

}  // namespace

SimulatedStudy::SimulatedStudy(std::uint64_t seed, bool is_traced) : system_(seed) {
  SeededRandom& random = system_.random;
  system_.is_traced = is_traced;
  lease_ = std::array{10.0, 60.0, 120.0}[random.below(3)];
  for (std::size_t i = 1 + random.below(3); i > 0; --i) {
    auto machine = std::make_unique<SimulatedMachine>();
    machine->name = concat("node", random.below(2));
    machine->boot = concat("boot-of-a-host-with-a-long-name-", i, "-a");
    machine->clock_offset = random.unit() * 1e6;
    machine->clock_rate = 1 + (random.unit() - 0.5) * 0.01;
    machine->cache_seconds = std::array{0.0, 3.0, 30.0, 60.0}[random.below(4)];
    system_.machines.push_back(std::move(machine));
  }
  for (std::size_t i = 1 + random.below(3); i > 0; --i)
    trials_.push_back(trial_with_seed(static_cast<std::int64_t>(i)));
  workers_ = 1 + random.below(4);
  slots_ = 1 + random.below(2);
  draw_faults();
  system_.start_program = [this](const SimulatedHost& parent, const ChildCommand& command) {
    return start_training(parent, command);
  };
  // A dead worker's training ends with it, or lives on for a while under its launcher.
  system_.on_death = [this](const SimulatedHost& dead) {
    for (const auto& process : processes_)
      if (process->parent == &dead && system_.random.chance(0.7)) process->host->die();
  };
  system_.disk.on_new_name = [this](Node& folder, std::string_view name, const NodePtr& node) {
    check_new_name(folder, name, *node);
  };
  system_.disk.on_change_of_committed = [this] { system_.fail("a done trial was changed"); };
  for (std::size_t i = 0; i < workers_; ++i) start_worker(random.unit() * lease_);
}

SimulatedStudy::~SimulatedStudy() {
  system_.fibers.end_all();
}

void SimulatedStudy::draw_faults() {
  SeededRandom& random = system_.random;
  const auto some = [&](double most) { return random.chance(0.5) ? random.unit() * most : 0; };
  system_.faults = {.error = some(0.01),
                    .short_write = some(0.2),
                    .lost_answer = some(0.03),
                    .pause = some(0.004),
                    .death = some(0.004),
                    .longest_pause = random.unit() * 3 * lease_,
                    .latency = std::array{0.0003, 0.003, 0.02}[random.below(3)] * lease_};
  faults_end_ = 6 * lease_;
}

void SimulatedStudy::start_worker(double in_seconds) {
  SimulatedMachine& machine = *system_.machines[system_.random.below(system_.machines.size())];
  Process& worker = *processes_.emplace_back(std::make_unique<Process>());
  worker.host = std::make_unique<SimulatedHost>(system_, machine, system_.disk.root);
  worker.fiber = system_.fibers.start([this, &worker, in_seconds] {
    system_.fibers.pause(in_seconds);
    work(worker);
    worker.host->die();
  });
}

void SimulatedStudy::work(Process& worker) {
  const SimulatedHost& host = *worker.host;
  FixedPlan planner(trials_);
  const NoStop stop;
  TracingObserver observer(system_.is_traced);
  WorkerSettings settings{.attempts = {.results = results,
                                       .program = "train",
                                       .resources = {},
                                       .lease = lease_,
                                       .silence = 20 * lease_,
                                       .record = [&](const auto& folder, const auto& planned, const auto& attempts,
                                                     auto) { return record_of(host, folder, planned, attempts); }},
                          .manifest_file = "/study.yaml",
                          .slots = std::vector<TrialSlot>(slots_),
                          .selection = {},
                          .pause_milliseconds = static_cast<int>(lease_ * 1000 / 10)};
  try {
    worker.exit_code = Worker(
                           std::move(settings), planner, stop, observer, [&] { return host.now(); }, host)
                           .run();
  } catch (const std::exception& error) {
    worker.exit_code = signalled_exit;
    if (system_.is_traced) std::printf("the worker %ld ends: %s\n", static_cast<long>(host.process()), error.what());
  }
}

RunRecord SimulatedStudy::record_of(const SimulatedHost& host, const fs::path& folder, const StudyPlanEntry& planned,
                                    const Attempts& attempts) const {
  const std::string text = read_whole_file(host, folder / study_layout::result, 4096, Links::refused);
  if (text != result_text(planned.planned.identity)) throw InputError("the result is damaged");
  RunRecord run;
  run.identity = planned.planned.identity;
  run.result_bytes = text.size();
  run.result_hash = content_hash_of(text);
  run.report_hash = content_hash(host, folder / study_layout::report, Links::refused);
  run.trial_hash = content_hash(host, folder / study_layout::trial_file, Links::refused);
  run.attempts_hash = content_hash(host, folder / study_layout::attempts, Links::refused);
  run.attempts = attempts.started;
  return run;
}

/// Starts a worker for each that has died or ended by an error.
void SimulatedStudy::replace_ended_workers() {
  std::size_t alive = 0;
  for (const auto& process : processes_)
    alive +=
        !process->parent && (process->exit_code ? *process->exit_code <= some_not_done : !process->host->is_dead());
  for (; alive < workers_; ++alive) start_worker(system_.random.unit() * lease_);
}

/// Replaces workers until all have ended by themselves, and ends the faults.
void SimulatedStudy::supervise() {
  constexpr double longest = 200;  // leases
  const auto works = [](const auto& process) { return !process->parent && !process->host->is_dead(); };
  do {
    system_.fibers.pause(lease_ / 4);
    const double now = system_.fibers.now();
    if (now > faults_end_) system_.faults = {.latency = system_.faults.latency};
    if (now > faults_end_ + longest * lease_)
      return system_.fail(concat("trials have not ended ", longest, " leases after the last fault"));
    replace_ended_workers();
  } while (std::any_of(processes_.begin(), processes_.end(), works));
  check_end();
  is_over_ = true;
}

std::string SimulatedStudy::run() {
  system_.fibers.start([this] { supervise(); });
  while (system_.failure.empty() && !is_over_) system_.fibers.step();
  return system_.failure;
}

bool SimulatedStudy::is_settled(const StudyPlanEntry& trial) const {
  const NodePtr node = processes_.front()->host->at(trial.planned.seed == seed_without_result
                                                        ? study_layout::failure_file(results, trial.planned.identity)
                                                        : study_layout::done_folder(results, trial.planned.identity));
  return node != nullptr;
}

void SimulatedStudy::check_end() {
  for (const StudyPlanEntry& trial : trials_)
    if (!is_settled(trial)) system_.fail(concat("all workers have ended without the trial ", trial.planned.identity));
}

}  // namespace gausscse
