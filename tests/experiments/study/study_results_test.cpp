#include "experiments/study/study_results.hpp"

#include <unistd.h>

#include "base/content_hash.hpp"
#include "base/lists.hpp"
#include "experiments/study/done_trial.hpp"
#include "experiments/study/study_index.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/study/json_changes.hpp"
#include "tests/experiments/study/planted_files.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(StudyResults, HaveEveryTrialWithWhatItLeft) {
  const TemporaryFolder folder;
  const std::filesystem::path results = folder / "results";
  write_sample_study(results);
  const StudyResults study = read_study(results);
  EXPECT_EQ(study.study, "sample");
  EXPECT_EQ(study.folder, results);
  std::vector<PlannedTrial> planned;
  std::vector<std::string> statuses, folders;
  for (const StudyTrial& trial : study.trials) {
    planned.push_back(trial.planned);
    statuses.emplace_back(name_of(trial.status));
    folders.push_back(trial.folder.empty() ? "" : trial.folder.lexically_relative(results).string());
    EXPECT_EQ(trial.run.has_value(), trial.status == TrialStatus::done);
    EXPECT_EQ(trial.kept.tasks.empty(), trial.status != TrialStatus::done);
    EXPECT_EQ(trial.failure.has_value(), trial.status == TrialStatus::failed);
  }
  EXPECT_EQ(planned, sample_trials());
  EXPECT_EQ(statuses, (std::vector<std::string>{"done", "failed", "done", "done", "running", "interrupted", "damaged",
                                                "planned", "waiting"}));
  EXPECT_EQ(folders, (std::vector<std::string>{"trials/a0", "", "trials/a0", "trials/b1", "unfinished/c0.10",
                                               "unfinished/c1.11", "trials/c2", "", ""}));
  EXPECT_EQ(study.trials[0].run->seconds, 10.5);
  EXPECT_EQ(study.trials[1].failure->reason, "exit code 2");
  EXPECT_EQ(study.trials[0].kept.state, "best");
  EXPECT_EQ(study.trials[0].kept.step, 40);
}

TEST(StudyResults, OfAFolderThatMayNotBeEnteredSaySo) {
  const TemporaryFolder folder;
  const std::filesystem::path results = folder / "study";
  write_sample_study(results);
  std::filesystem::permissions(results, std::filesystem::perms::none);
  // Root may enter every folder.
  const uid_t user = ::geteuid();
  ASSERT_EQ(::seteuid(user == 0 ? 65534 : user), 0);
  std::error_code code;
  try {
    read_study(results);
  } catch (const std::filesystem::filesystem_error& error) {
    code = error.code();
  }
  ASSERT_EQ(::seteuid(user), 0);
  std::filesystem::permissions(results, std::filesystem::perms::owner_all);
  EXPECT_EQ(code, std::errc::permission_denied);
}

TEST(StudyResults, HaveTheMetricsOfDoneTrials) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const StudyResults study = read_study(folder.path());
  const auto value = [&](std::size_t trial, const char* name) { return metric_of(study.trials[trial], name)->value; };
  EXPECT_EQ(value(0, "snli.accuracy"), 0.75);
  EXPECT_EQ(value(3, "snli.accuracy"), 0.5);
  EXPECT_EQ(value(0, "sts12.spearman.MSRpar"), 0.5);
  EXPECT_EQ(value(0, "sts12.spearman"), 0.75);
  EXPECT_TRUE(std::isnan(value(3, "sts12.spearman")));
  EXPECT_EQ(metric_of(study.trials[0], "snli.pairs")->unit, Unit::count);
  EXPECT_EQ(metric_of(study.trials[0], "snli.threshold")->unit, Unit::number);
  EXPECT_EQ(metric_of(study.trials[0], "snli.accuracy")->unit, Unit::fraction);
  EXPECT_EQ(metric_of(study.trials[0], "sts12.spearman.MSRpar")->name, "spearman.MSRpar");
  for (const char* name : {"", ".", "snli", "snli.", "snli.other", "other.accuracy", "accuracy", "average.nli",
                           "average.nli.accuracy", "nli.accuracy"})
    EXPECT_FALSE(metric_of(study.trials[0], name)) << name;
  EXPECT_DOUBLE_EQ(value(0, "mean(sts12.spearman, sts12.spearman.MSRpar, snli.accuracy)"), (0.75 + 0.5 + 0.75) / 3);
  EXPECT_EQ(metric_of(study.trials[0], "mean(snli.threshold, snli.threshold)")->unit, Unit::number);
  EXPECT_FALSE(metric_of(study.trials[0], "mean(snli.accuracy, snli.none)"));
  for (const std::size_t trial : {1, 4, 5, 6, 7, 8}) EXPECT_FALSE(metric_of(study.trials[trial], "snli.accuracy"));
}

TEST(StudyResults, HaveTheWholeResultOfADoneTrial) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const StudyResults study = read_study(folder.path());
  const RunResult result = full_result(study.trials[3]);
  EXPECT_EQ(std::get<std::vector<std::uint8_t>>(kept_state(result).tasks.at(1).columns.at(4).values).size(), 4u);
  const StateResult kept = kept_with_columns(study.trials[3]);
  EXPECT_EQ(kept.state, kept_state(result).state);
  EXPECT_EQ(kept.tasks.at(1).columns.at(4).values, kept_state(result).tasks.at(1).columns.at(4).values);
  const StateResult part = kept_with_columns(study.trials[3], [](const Measurement& task, std::string_view column) {
    return task.task == "snli" && column == "label";
  });
  EXPECT_TRUE(part.tasks.at(0).columns.empty());
  ASSERT_EQ(part.tasks.at(1).columns.size(), 1u);
  EXPECT_EQ(part.tasks[1].columns[0].values, kept.tasks[1].columns[4].values);
  const auto metrics = [](const StateResult& state) {
    std::vector<std::pair<std::string, double>> values;
    for (const Metric& metric : state.tasks.at(1).metrics) values.emplace_back(metric.name, metric.value);
    return values;
  };
  EXPECT_EQ(metrics(part), metrics(kept_state(result)));
  EXPECT_EQ(metrics(kept_state(full_result(study.trials[3], {.kept_metrics = false}))), metrics(kept_state(result)));
  EXPECT_TRUE(says(refusal_of([&] { full_result(study.trials[4]); }),
                   "the trial \"final simcse 16 seed 0\" has no result: it is running"));
  std::filesystem::copy_file(folder / "trials/a0/result.h5", folder / "trials/b1/result.h5",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(says(refusal_of([&] { full_result(study.trials[3]); }), "damaged: it has changed since it was written"));
  EXPECT_TRUE(
      says(refusal_of([&] { kept_with_columns(study.trials[3]); }), "damaged: it has changed since it was written"));
}

TEST(StudyResults, HaveTheManifestThatThePlanWasMadeFrom) {
  const TemporaryFolder folder;
  const std::string manifest =
      "format: gausscse-manifest/1\nname: sample\ndefaults:\n  model: {backbone: {path: nowhere}}\n"
      "  data: {train: [nowhere.jsonl]}\n  tasks: {snli: {kind: nli, files: nowhere.jsonl}}\n"
      "stages:\n  final: {grid: {training.batch_size: [16]}, seeds: [0]}\n";
  write_bytes(folder / "manifest.yaml", manifest);
  write_plan(folder / "plan.json", {"sample", content_hash_of(manifest), {}});
  const StudyResults study = read_study(folder.path());
  EXPECT_EQ(read_manifest_of(study).name, "sample");
  std::string other = manifest;
  other[other.find("[16]") + 1] = '3';
  write_bytes(folder / "manifest.yaml", other);
  EXPECT_TRUE(
      says(refusal_of([&] { read_manifest_of(study); }),
           concat("manifest.yaml: damaged: it is not the manifest that plan.json was made from (its XXH3-128 is ",
                  content_hash_of(other), ", plan.json says ", content_hash_of(manifest), ")")));
}

TEST(StudyResults, GiveTheManifestsAveragesTheColumnsOfTheirTables) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const std::string manifest =
      "format: gausscse-manifest/1\nname: sample\ndefaults: {}\nstages: {final: {seeds: [0]}}\n"
      "tables:\n  one: {rows: [], figures: [mnli.accuracy, snli.accuracy, average.nli.accuracy]}\n"
      "  other: {rows: [], figures: [average.nli.threshold, snli.threshold, mnli.threshold]}\n";
  write_bytes(folder / "manifest.yaml", manifest);
  write_plan(folder / "plan.json", {"sample", content_hash_of(manifest), sample_trials()});
  const Manifest read = read_manifest_of(read_study(folder.path()));
  EXPECT_EQ(read.tables.at(0).metrics.at(2).metric, "mean(mnli.accuracy, snli.accuracy)");
  EXPECT_EQ(read.tables.at(1).metrics.at(0).metric, "mean(snli.threshold, mnli.threshold)");
}

TEST(StudyResults, KnowWhichTrialsKeptTheUntrainedState) {
  StudyTrial trial;
  trial.status = TrialStatus::done;
  trial.kept.state = "best";
  trial.run.emplace().steps = 8;
  EXPECT_TRUE(kept_untrained_state(trial));
  trial.kept.step = 4;
  EXPECT_FALSE(kept_untrained_state(trial));
  trial.kept.step = 0;
  trial.run->steps = 0;
  EXPECT_FALSE(kept_untrained_state(trial)) << "a trial that was to have no step";
  trial.run->steps = 8;
  trial.status = TrialStatus::damaged;
  EXPECT_FALSE(kept_untrained_state(trial));
}

TEST(StudyResults, ReportWhatCountsWhereThereIsMore) {
  using Path = std::filesystem::path;
  const auto claim = [](const Path& results) { write_bytes(results / "claims" / "a0.3", ""); };
  const auto fail = [](const Path& results) {
    write_failure_record(study_layout::failure_file(results, "a0"), FailureRecord{});
  };
  const auto begin = [](const Path& results) { std::filesystem::create_directories(results / "unfinished" / "a0.1"); };
  EXPECT_EQ(status_after([&](const Path& results, const Path&) { claim(results), fail(results), begin(results); }),
            "done");
  EXPECT_EQ(status_after([&](const Path& results, const Path& done) {
              claim(results), fail(results), begin(results);
              std::filesystem::remove(done / "run.json");
            }),
            "running");
  EXPECT_EQ(status_after([&](const Path& results, const Path& done) {
              fail(results), begin(results);
              std::filesystem::remove(done / "run.json");
            }),
            "damaged");
  EXPECT_EQ(status_after([&](const Path& results, const Path& done) {
              fail(results), begin(results);
              std::filesystem::remove_all(done);
            }),
            "failed");
  EXPECT_EQ(status_after([&](const Path& results, const Path& done) {
              begin(results);
              std::filesystem::remove_all(done);
            }),
            "interrupted");
  EXPECT_EQ(status_after([&](const Path& results, const Path& done) {
              for (const char* name : {"a0", "a0.x", "a0.1x", "a00.1", "a0."})
                write_bytes(results / "claims" / name, "");
              std::filesystem::remove_all(done);
            }),
            "planned");
}

TEST(StudyResults, ReportARunningTrialWhoseFolderIsAnEarlierOneOrNotThereYet) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  std::filesystem::create_directories(folder / "unfinished/c0.12");
  EXPECT_EQ(read_study(folder.path()).trials[4].folder, folder / "unfinished/c0.10") << "that of the claim";
  std::filesystem::remove_all(folder / "unfinished/c0.12");
  std::filesystem::remove_all(folder / "unfinished/c0.10");
  EXPECT_EQ(read_study(folder.path()).trials[4].folder, folder / "unfinished/c0.9");
  std::filesystem::remove_all(folder / "unfinished");
  const StudyResults study = read_study(folder.path());
  EXPECT_EQ(study.trials[4].folder, "");
  EXPECT_EQ(study.trials[4].status, TrialStatus::running);
  EXPECT_EQ(study.trials[5].status, TrialStatus::planned);
}

TEST(StudyResults, ReportAFailureWhoseRecordCannotBeRead) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  write_bytes(folder / "failed/a1.json", "{");
  const StudyTrial trial = read_study(folder.path()).trials[1];
  EXPECT_EQ(trial.status, TrialStatus::failed);
  EXPECT_TRUE(says(trial.failure->reason, "its record cannot be read: "));
}

TEST(StudyResults, AreRefusedOfWhatIsNoResultsFolder) {
  const TemporaryFolder folder;
  EXPECT_TRUE(says(refusal_of([&] { read_study(folder / "none"); }), "none: there is no such folder"));
  EXPECT_TRUE(
      says(refusal_of([&] { read_study(folder.path()); }), "no results folder of a study: it has no plan.json"));
  write_bytes(folder / "plan.json", "{}");
  EXPECT_TRUE(says(refusal_of([&] { read_study(folder.path()); }), "no plan of a study"));
  EXPECT_TRUE(says(refusal_of([&] { read_study(folder / "plan.json"); }), "there is no such folder"));
  write_plan(folder / "plan.json", {"empty", "", {}});
  EXPECT_TRUE(read_study(folder.path()).trials.empty());
}

}  // namespace
}  // namespace gausscse
