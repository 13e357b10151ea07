#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "experiments/grid/probe.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using testing_support::TemporaryFolder;
using testing_support::TinyProject;
using testing_support::write_bytes;

/// Files of the folder itself.
std::vector<fs::path> files_of_folder(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

TEST(Probe, MeasuresTrialsOfTheProgramOnce) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  Trial trial = read_trial(project.trial());
  trial.data.cache = folder / "tokens";
  fs::create_directory(project.model() / "part");
  write_bytes(project.model() / "part" / "weights", "1");
  trial.training.max_steps = 0;
  trial.training.epochs = 2;
  const RunResult whole =
      testing_support::train_to_result(project, "whole", 0, {"training.max_steps=0", "training.epochs=2"});
  ProbeSettings settings;
  settings.slots.resize(2);
  settings.program = GAUSSCSE_PROGRAM;
  settings.version = "1";
  settings.cache_folder = folder / "probes";
  const std::int64_t batch_size = trial.training.batch_size;
  const UnknownKind kind{trial, {batch_size, batch_size + 1}};
  const ProbeRecord record = probe(kind, settings);

  // The steps of the whole trial, which the probe did not do.
  TrialCosts costs;
  costs.learn(trial, record);
  ASSERT_TRUE(costs.expected(trial));
  const auto steps = static_cast<std::int64_t>(whole.training.step.size());
  EXPECT_EQ(record.examples / batch_size * trial.training.epochs, steps);
  ASSERT_EQ(record.steps.size(), 2u);
  EXPECT_EQ(record.steps[1].batch_size, batch_size + 1);
  EXPECT_GT(record.steps[0].seconds, 0);
  EXPECT_GT(record.steps[0].memory_bytes, std::uint64_t{10} << 20);
  EXPECT_GT(record.start_seconds, 0);
  EXPECT_GT(record.disk_bytes, fs::file_size(project.output("whole") / "model" / "model.safetensors"));
  ASSERT_EQ(record.periods.size(), 1u);
  EXPECT_EQ(record.periods[0].eval_every, 3);

  // It is kept: nothing is run, and nothing else is left.
  ASSERT_EQ(files_of_folder(settings.cache_folder).size(), 1u);
  ProbeSettings without_program = settings;
  without_program.program = folder / "missing";
  EXPECT_EQ(probe(kind, without_program), record);
  const fs::path kept = files_of_folder(settings.cache_folder)[0];
  ProbeRecord changed = record;
  changed.examples = 77;
  write_probe_record(kept, changed);
  EXPECT_EQ(probe(kind, without_program), changed);

  // Not for another version, other resources or changed files, nor where it is damaged.
  const auto is_run_anew = [&](const UnknownKind& of_kind, const ProbeSettings& with) {
    try {
      probe(of_kind, with);
    } catch (const std::exception& error) {
      // It is not there to be started, by itself or by mpirun.
      const std::string message = error.what();
      EXPECT_TRUE(message.starts_with("a trial cut to 1 steps ended") ||
                  message.find(with.program.string()) != std::string::npos)
          << message;
      return true;
    }
    return false;
  };
  EXPECT_FALSE(is_run_anew(kind, without_program));
  ProbeSettings other = without_program;
  other.version = "2";
  EXPECT_TRUE(is_run_anew(kind, other));
  other = without_program;
  other.resources.threads = 2;
  EXPECT_TRUE(is_run_anew(kind, other));
  other = without_program;
  other.slots.resize(1);
  EXPECT_TRUE(is_run_anew(kind, other));
  other = without_program;
  other.keep_models = false;
  EXPECT_TRUE(is_run_anew(kind, other));
  other = without_program;
  other.resources.ranks = 2;
  EXPECT_TRUE(is_run_anew(kind, other));
  other = without_program;
  other.resources.gpus = true;
  EXPECT_TRUE(is_run_anew(kind, other));
  other = without_program;
  other.resources.launcher = setting::Launcher::mpirun;
  EXPECT_TRUE(is_run_anew(kind, other));
  other = without_program;
  other.resources.launcher_arguments = {"--verbose"};
  EXPECT_TRUE(is_run_anew(kind, other));
  EXPECT_TRUE(is_run_anew({trial, {batch_size}}, without_program));
  for (const fs::path& file : {project.train(), project.dev(), project.test(), project.model() / "model.safetensors",
                               project.model() / "part" / "weights"}) {
    const std::string before = read_whole_file(file, 1 << 24);
    const fs::file_time_type time = fs::last_write_time(file);
    write_bytes(file, before + "\n");
    EXPECT_TRUE(is_run_anew(kind, without_program)) << file;
    write_bytes(file, before);
    fs::last_write_time(file, time);
    EXPECT_FALSE(is_run_anew(kind, without_program)) << file;
  }
  write_bytes(kept, "damaged");
  EXPECT_TRUE(is_run_anew(kind, without_program));
}

TEST(Probe, CountsDiskWithoutModelsThatAreNotKept) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  Trial trial = read_trial(project.trial());
  trial.tasks.clear();
  trial.select = {};
  ProbeSettings settings;
  settings.slots.resize(1);
  settings.program = GAUSSCSE_PROGRAM;
  settings.keep_models = false;
  const ProbeRecord record = probe({trial, {trial.training.batch_size}}, settings);
  EXPECT_GT(record.disk_bytes, 1000u);
  EXPECT_LT(record.disk_bytes, fs::file_size(project.model() / "model.safetensors"));
  EXPECT_EQ(record.measurement_seconds, 0);
  // What of one process is measured each of the ranks takes; here nothing starts a second one.
  settings.resources.ranks = 2;
  const ProbeRecord of_two = probe({trial, {trial.training.batch_size}}, settings);
  EXPECT_GT(2 * of_two.steps.at(0).memory_bytes, 3 * record.steps.at(0).memory_bytes);
}

}  // namespace
}  // namespace gausscse
