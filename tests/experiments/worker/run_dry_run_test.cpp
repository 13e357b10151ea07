#include <nlohmann/json.hpp>
#include <regex>

#include "experiments/processes/trial_launch.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

// `gausscse run --dry-run`, as a user calls it.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// A listed trial: its title, its status, its time and its disk.
using Row = std::vector<std::string>;

std::vector<Row> rows_of(const std::string& text) {
  std::vector<Row> rows;
  std::istringstream lines(text);
  const std::regex gap("  +");
  for (std::string line; std::getline(lines, line);) {
    const std::sregex_token_iterator begin(line.begin(), line.end(), gap, -1), end;
    const std::vector<std::string> cells(begin, end);
    if (cells.size() == 6 && cells[0] != "trial") rows.push_back({cells[0], cells[1], cells[4], cells[5]});
  }
  return rows;
}

Row row_of(const std::string& title, const std::string& status) {
  return {title, status, "30s", "50 MiB"};
}

/// Two stages, of which two trials are done, in 30 s each, and one has failed.
class DryRunOfAStudy : public WorkerTest {
 protected:
  DryRunOfAStudy() {
    study.write_stages(concat("  one: {grid: {training.batch_size: [16]}, seeds: [1, 2, 3, ", seed_of_bad_trial,
                              "]}\n"
                              "  two: {grid: {training.learning_rate: [1.0e-4]}, seeds: [4, 5]}\n"));
  }
  void run_three() {
    EXPECT_EQ(run_only({"seed=1", "seed=2", concat("seed=", seed_of_bad_trial)}), 1) << observer.lines;
    study.set_costs(30);
  }

  ProgramRun dry_run(const std::vector<std::string>& more) const {
    std::vector<std::string> words{"run",       study.manifest().string(), "--results",        study.results().string(),
                                   "--dry-run", "--train-program",         GAUSSCSE_FAKE_TRAIN};
    words.insert(words.end(), more.begin(), more.end());
    ProgramRun run = run_expecting(0, words, {}, {.environment = {{"GAUSSCSE_CACHE", cache()}}});
    return run;
  }

  /// Returns a folder of the test's own.
  fs::path cache() const { return folder / "cache"; }

  /// Content and time of all that is in the results folder.
  std::map<fs::path, std::pair<std::string, fs::file_time_type>> state() const {
    std::map<fs::path, std::pair<std::string, fs::file_time_type>> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(study.results()))
      files[entry.path()] = {entry.is_regular_file() ? read_whole_file(entry.path(), 1 << 24) : "",
                             entry.last_write_time()};
    return files;
  }

  const Row bad = row_of(concat("one 16 seed ", seed_of_bad_trial), "failed");
  const Row third = row_of("one 16 seed 3", "planned");
  const Row fourth = row_of("two 1.0e-4 seed 4", "planned"), fifth = row_of("two 1.0e-4 seed 5", "planned");
};

/// As on a login node.
TEST_F(DryRunOfAStudy, OfAStudyThatAsksForGpusNeedsNone) {
  study.write_manifest({1, 2}, "resources: {gpus: true, ranks: 2, launcher: mpirun}\n");
  const ProgramRun run =
      run_expecting(0,
                    {"run", study.manifest().string(), "--results", study.results().string(), "--dry-run",
                     "--train-program", GAUSSCSE_FAKE_TRAIN},
                    {"a trial takes 2 GPUs, one a rank, and this machine has none: times are for one trial at a time"},
                    {.environment = {{"GAUSSCSE_CACHE", cache()}, {"CUDA_VISIBLE_DEVICES", ""}}});
  EXPECT_TRUE(says(run.output, "study: 2 trials, 0 done, 2 to run: "));
  EXPECT_EQ(study.noted("begins"), 0u);
}

TEST_F(DryRunOfAStudy, ListsWhatIsLeftAndChangesNothing) {
  run_three();
  const auto before = state();
  const ProgramRun run = dry_run({});
  EXPECT_EQ(rows_of(run.output), (std::vector<Row>{third, bad, fourth, fifth})) << run.output;
  EXPECT_TRUE(says(run.output, "stage one: 4 trials, 2 done, 1 failed, 1 to run: "));
  EXPECT_TRUE(says(run.output, "stage two: 2 trials, 0 done, 2 to run: "));
  EXPECT_TRUE(says(run.output, "study: 6 trials, 2 done, 1 failed, 3 to run: "));
  const std::size_t slots = divide_machine(Resources(), this_machine()).size();
  const std::size_t rounds = (3 + slots - 1) / slots;
  const std::string time = readable_duration(30.0 * static_cast<double>(rounds));
  EXPECT_TRUE(run.output.ends_with(
      concat("3 to run: ", time, ", ", slots, slots == 1 ? " trial" : " trials", " at a time; disk 150 MiB\n")))
      << run.output;
  EXPECT_EQ(run.errors, "");
  EXPECT_EQ(state(), before);
  EXPECT_EQ(study.noted("begins"), 3u);
}

TEST_F(DryRunOfAStudy, ListsDoneTrialsWhereDetailsAreAskedFor) {
  run_three();
  const std::string output = dry_run({"--verbose"}).output;
  EXPECT_EQ(rows_of(output), (std::vector<Row>{row_of("one 16 seed 1", "done"), row_of("one 16 seed 2", "done"), third,
                                               bad, fourth, fifth}))
      << output;
}

TEST_F(DryRunOfAStudy, IsWrittenForPrograms) {
  run_three();
  const std::string file = (folder / "dry-run.json").string();
  EXPECT_EQ(rows_of(dry_run({"--json", file}).output), (std::vector<Row>{third, bad, fourth, fifth}));
  const std::string printed = dry_run({"--json", "-"}).output;
  EXPECT_EQ(read_whole_file(file, 1 << 20), printed);
  const nlohmann::json json = nlohmann::json::parse(printed);
  EXPECT_EQ(json["work"]["done"], 2);
  EXPECT_EQ(json["work"]["failed"], 1);
  EXPECT_EQ(json["work"]["to_run"], 3);
  EXPECT_EQ(json["work"]["disk_bytes"], 3 * (50 << 20));
  EXPECT_EQ(json["stages"][0]["trials"].size(), 4u) << "done ones, too";
  EXPECT_EQ(json["stages"][1]["trials"][1]["title"], "two 1.0e-4 seed 5");
  EXPECT_EQ(json["stages"][1]["trials"][1]["seconds"], 30);
  // A worker has no such answer.
  run_expecting(2, {"run", study.manifest().string(), "--results", study.results().string(), "--json", file},
                {"--dry-run"}, {});
}

TEST_F(DryRunOfAStudy, IsOfWhatAWorkerWouldBeAskedFor) {
  run_three();
  const std::string of_seed = dry_run({"--only", "seed=3", "--only", "seed=5"}).output;
  EXPECT_EQ(rows_of(of_seed), (std::vector<Row>{third, fifth})) << of_seed;
  EXPECT_TRUE(says(of_seed, "study: 2 trials, 0 done, 2 to run: "));
  const std::string of_stage = dry_run({"--stage", "two"}).output;
  EXPECT_EQ(rows_of(of_stage), (std::vector<Row>{fourth, fifth})) << of_stage;
  EXPECT_EQ(of_stage.find("stage one"), std::string::npos) << of_stage;
  const std::string with_failed = dry_run({"--retry-failed"}).output;
  Row again = bad;
  again[1] = "interrupted";
  EXPECT_EQ(rows_of(with_failed), (std::vector<Row>{third, again, fourth, fifth})) << with_failed;
  EXPECT_TRUE(says(with_failed, "study: 6 trials, 2 done, 4 to run: "));
}

/// The last worker had a manifest without it.
TEST_F(DryRunOfAStudy, KnowsDoneTrialsThatThePlanOfTheLastRunDoesNotHave) {
  for (const Seeds& seeds : {Seeds{1, 2}, Seeds{1}}) {
    study.write_manifest(seeds);
    ASSERT_EQ(run(), 0) << observer.lines;
  }
  study.write_manifest({1, 2, 3});
  EXPECT_TRUE(says(dry_run({}).output, "study: 3 trials, 2 done, 1 to run: "));
}

TEST_F(DryRunOfAStudy, NamesAFileThatWasReplacedSinceTrialsWereDone) {
  run_three();
  write_bytes(folder / "dev.jsonl", "{\"other\": 1}\n");
  const ProgramRun dry = dry_run({});
  EXPECT_TRUE(says(dry.errors, concat("2 results in ", study.results().string(), " are of other contents of ",
                                      (folder / "dev.jsonl").string(), " (tasks.dev")));
}

}  // namespace
}  // namespace gausscse
