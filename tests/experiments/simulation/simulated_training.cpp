#include <algorithm>
#include <csignal>

#include "base/error.hpp"
#include "base/world.hpp"
#include "experiments/study/generations.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/json_report.hpp"
#include "tests/experiments/simulation/simulated_study.hpp"

// The programs that workers start: trainings that write what a training leaves, in no time of a processor.

namespace gausscse {

namespace {

namespace fs = std::filesystem;

const std::string& report_text() {
  static const std::string text = json_report(StateResult{.state = "last", .step = 4, .tasks = {}});
  return text;
}

}  // namespace

std::string result_text(const std::string& identity) {
  return "result of " + identity;
}

/// The training of a worker: killed when the object goes.
class SimulatedStudy::Training : public Child {
 public:
  explicit Training(Process& process) : process_(process) {}
  ~Training() override { process_.host->die(); }
  pid_t id() const override { return static_cast<pid_t>(process_.host->process()); }
  std::optional<ChildEnd> poll() override {
    if (process_.exit_code) return ChildEnd{.exit_code = *process_.exit_code};
    if (process_.host->is_dead()) return ChildEnd{.signal = SIGKILL};
    return std::nullopt;
  }
  void send(int) const override { process_.is_asked_to_stop = true; }
  void send_to_group(int) const override { process_.host->die(); }

 private:
  Process& process_;
};

std::unique_ptr<Child> SimulatedStudy::start_training(const SimulatedHost& parent, const ChildCommand& command) {
  const NodePtr folder = parent.at(command.folder);
  if (!folder) throw SystemError("train cannot be started: No such file or directory");
  if (const auto split = split_generation(command.folder.filename().native()))
    trained_[split->first] = std::max(trained_[split->first], split->second);
  Process& training = *processes_.emplace_back(std::make_unique<Process>());
  training.host = std::make_unique<SimulatedHost>(system_, parent.machine(), folder);
  training.parent = &parent;
  training.fiber = system_.fibers.start([this, &training] {
    const int exit_code = train(training);
    training.exit_code = exit_code;
    training.host->die();
  });
  return std::make_unique<Training>(training);
}

int SimulatedStudy::train(Process& training) {
  const SimulatedHost& host = *training.host;
  SeededRandom& random = system_.random;
  try {
    const std::string text = read_whole_file(host, study_layout::trial_file, 1 << 16, Links::refused);
    const std::string* identity = nullptr;
    std::int64_t seed = 0;
    for (const StudyPlanEntry& trial : trials_)
      if (text.find(concat("seed: ", trial.planned.seed, "\n")) != std::string::npos) {
        identity = &trial.planned.identity;
        seed = trial.planned.seed;
      }
    if (!identity || !host.lock_file(study_layout::lock)) return 2;
    for (std::size_t step = random.below(3); step > 0; --step) {
      host.sleep(std::chrono::milliseconds(static_cast<int>(random.unit() * lease_ * 600)));
      if (training.is_asked_to_stop) return 128 + SIGUSR2;
      host.make_folder(study_layout::checkpoints);
      write_file_atomically(host, fs::path(study_layout::checkpoints) / concat("step-", step, ".safetensors"), "state");
      write_file_atomically(host, study_layout::progress, "{}");
    }
    if (seed == seed_without_result) return 0;
    write_file_atomically(host, study_layout::result, result_text(*identity));
    write_file_atomically(host, study_layout::report, report_text());
    return 0;
  } catch (const std::exception&) {
    return 2;
  }
}

}  // namespace gausscse
