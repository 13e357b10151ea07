#include "tests/launcher/disturbed_runs.hpp"

#include <csignal>

#include "results/result_file.hpp"
#include "tests/launcher/metrics.hpp"
#include "tests/support/testing.hpp"
#include "training/checkpoint/checkpoint_folder.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_model = std::size_t{64} << 20;

/// Returns the number after the first `words` in `text`; 0 where there is none.
std::int64_t number_after(const std::string& text, const std::string& words) {
  const std::size_t place = text.find(words);
  return place == std::string::npos ? 0 : std::atoll(text.c_str() + place + words.size());
}

void expect_same_curves(const std::vector<Curve>& a, const std::vector<Curve>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].task, b[i].task);
    EXPECT_EQ(a[i].step, b[i].step) << a[i].task;
    ASSERT_EQ(a[i].lines.size(), b[i].lines.size()) << a[i].task;
    for (std::size_t k = 0; k < a[i].lines.size(); ++k) {
      EXPECT_EQ(a[i].lines[k].metric, b[i].lines[k].metric) << a[i].task;
      const std::vector<double>&of_a = a[i].lines[k].values, &of_b = b[i].lines[k].values;
      EXPECT_TRUE(std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), is_same_value))
          << a[i].task << " " << a[i].lines[k].metric;
    }
  }
}

void expect_same_measurement(const Measurement& a, const Measurement& b) {
  EXPECT_EQ(a.task, b.task);
  EXPECT_EQ(a.kind, b.kind) << a.task;
  EXPECT_EQ(a.remark, b.remark) << a.task;
  EXPECT_EQ(a.development, b.development) << a.task;
  ASSERT_EQ(a.metrics.size(), b.metrics.size()) << a.task;
  for (std::size_t i = 0; i < a.metrics.size(); ++i) {
    EXPECT_EQ(a.metrics[i].name, b.metrics[i].name) << a.task;
    EXPECT_TRUE(is_same_value(a.metrics[i].value, b.metrics[i].value))
        << a.task << " " << a.metrics[i].name << ": " << a.metrics[i].value << " and " << b.metrics[i].value;
  }
  ASSERT_EQ(a.columns.size(), b.columns.size()) << a.task;
  for (std::size_t i = 0; i < a.columns.size(); ++i) {
    EXPECT_EQ(a.columns[i].name, b.columns[i].name) << a.task;
    EXPECT_TRUE(a.columns[i].values == b.columns[i].values) << a.task << " " << a.columns[i].name;
  }
}

}  // namespace

ProgramRun train(const TinyProject& project, const std::string& output, const RunSettings& settings,
                 const Overrides& overrides) {
  return run_program(train_arguments(project, output, overrides), settings);
}

RunSettings with_signal_at(int signal, const std::string& kind, long k) {
  return {.signals = {{signal, kind, k}}};
}

RunSettings with_kill_at(const std::string& kind, long k) {
  return with_signal_at(SIGKILL, kind, k);
}

RunSettings with_kill_of_rank(int ranks, int rank, int all_reduce) {
  return {.ranks = ranks, .signals = {{SIGKILL, "all_reduce", all_reduce}}, .signalled_rank = rank};
}

RunSettings with_signal(RunSettings settings, int signal) {
  settings.signals.back().signal = signal;
  return settings;
}

std::map<std::string, long> calls_of_a_run(const TinyProject& project, const Overrides& overrides) {
  const fs::path counts = project.output("calls");
  RunSettings settings;
  settings.environment = {{"LD_PRELOAD", GAUSSCSE_SIGNAL_AT_CALL}, {"GAUSSCSE_TEST_CALLS", counts.string()}};
  const ProgramRun run = train(project, "whole", settings, overrides);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  std::istringstream lines(read_whole_file(counts, 1000));
  std::map<std::string, long> calls;
  std::string kind;
  for (long count = 0; lines >> kind >> count;) calls[kind] = count;
  return calls;
}

void kill_after_two_checkpoints(const TinyProject& project, const std::string& output) {
  const ProgramRun run = train(project, output, with_kill_at("checkpoint_rename", 5));
  ASSERT_EQ(run.exit_code, 137) << run.errors;
  ASSERT_EQ(checkpoints_of(project.output(output)), (std::vector<std::int64_t>{3, 4}));
}

std::vector<std::int64_t> checkpoints_of(const fs::path& run) {
  return CheckpointFolder(run / "checkpoints").steps();
}

fs::path checkpoint_of(const fs::path& run, std::int64_t step) {
  return CheckpointFolder(run / "checkpoints").file(step);
}

std::int64_t best_step_of(const fs::path& run) {
  return read_result(run / "result.h5").states.at(0).step;
}

void expect_same_result(const fs::path& one, const fs::path& other) {
  const RunResult a = read_result(one / "result.h5"), b = read_result(other / "result.h5");
  EXPECT_EQ(a.training.step, b.training.step);
  EXPECT_EQ(a.training.loss, b.training.loss);
  EXPECT_EQ(a.training.learning_rate, b.training.learning_rate);
  EXPECT_EQ(a.training.gradient_norm, b.training.gradient_norm);
  expect_same_curves(a.curves, b.curves);
  ASSERT_EQ(a.states.size(), b.states.size());
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    EXPECT_EQ(a.states[i].state, b.states[i].state);
    EXPECT_EQ(a.states[i].step, b.states[i].step);
    ASSERT_EQ(a.states[i].tasks.size(), b.states[i].tasks.size());
    for (std::size_t k = 0; k < a.states[i].tasks.size(); ++k)
      expect_same_measurement(a.states[i].tasks[k], b.states[i].tasks[k]);
  }
  for (const char* file : {"model.safetensors", "gausscse.safetensors"}) {
    EXPECT_TRUE(read_whole_file(one / "model" / file, largest_model) ==
                read_whole_file(other / "model" / file, largest_model))
        << file;
  }
}

void expect_same_run(const fs::path& one, const fs::path& other) {
  ASSERT_NO_FATAL_FAILURE(expect_same_result(one, other));
  EXPECT_FALSE(fs::exists(other / "checkpoints"));
  EXPECT_FALSE(fs::exists(other / ".gausscse.lock"));
}

std::int64_t expect_the_undisturbed_end(const TinyProject& project, const std::string& output,
                                        const RunSettings& settings, const Overrides& overrides) {
  const fs::path folder = project.output(output);
  const std::vector<std::int64_t> checkpoints = checkpoints_of(folder);
  const bool finished = fs::exists(folder / "result.h5");
  const ProgramRun run = train(project, output, settings, overrides);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.errors.find("has its result already") != std::string::npos, finished) << run.errors;
  const std::int64_t step = number_after(run.errors, "going on after step ");
  EXPECT_EQ(step, finished || checkpoints.empty() ? 0 : checkpoints.back()) << run.errors;
  expect_same_run(project.output("whole"), folder);
  return step;
}

}  // namespace gausscse
