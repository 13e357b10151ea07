#include "experiments/study/study_results.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>

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
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using namespace testing_support;

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

/// Another user who can write to a results folder can put links and pipes into it.
TEST(StudyResults, FollowNoLinkAndWaitForNoPipe) {
  const TemporaryFolder folder;
  const std::filesystem::path& results = folder.path();
  write_sample_study(results);
  write_bytes(results / "manifest.yaml", "name: sample\n");
  PlanFile plan = read_plan(results / "plan.json");
  plan.manifest_hash = content_hash_of("name: sample\n");
  write_plan(results / "plan.json", plan);
  const StudyResults study = read_study(results);
  ASSERT_EQ(manifest_problem(study), "");

  expect_planted_named(results / "plan.json", [&] { return refusal_of([&] { read_study(results); }); });
  expect_planted_named(results / "manifest.yaml", [&] { return manifest_problem(study); });
  expect_planted_named(results / "manifest.yaml", [&] { return refusal_of([&] { read_manifest_of(study); }); });
  for (const char* name : {"run.json", "report.json", "result.h5"}) {
    const std::filesystem::path file = results / "trials/a0" / name;
    expect_planted_named(file, [&] { return read_study(results).trials[0].problem; });
  }
  // A result is known as a study's by it.
  write_bytes(results / "trials/a0/trial.yaml", "");
  const std::filesystem::path result = results / "trials/a0/result.h5";
  expect_planted_named(result, [&] { return refusal_of([&] { full_result(study.trials[0]); }); });
  expect_planted_named(result, [&] { return refusal_of([&] { kept_with_columns(study.trials[0]); }); });
  expect_planted_named(result, [&] { return refusal_of([&] { check_result_next_to_record(result); }); });
  expect_planted_named(results / "failed/a1.json", [&] { return read_study(results).trials[1].failure->reason; });
  write_index(study, results / "index.h5");
  expect_planted_named(results / "index.h5",
                       [&] { return refusal_of([&] { write_index(study, results / "index.h5"); }); });
  expect_planted_named(results / "index.h5", [&] { return joined(read_study(results).doubts, "\n"); });
  EXPECT_EQ(index_problem(results), "");
  EXPECT_EQ(name_of(read_study(results).trials[0].status), "done");
}

TEST(StudyResults, NameFilesWithoutAHashOfTheirValues) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  EXPECT_TRUE(read_study(folder.path()).doubts.empty());
  change_json(folder / "plan.json", [](auto&) {});
  for (const char* trial : {"a0", "b1"}) change_json(folder / "trials" / trial / "run.json", [](auto&) {});
  const StudyResults study = read_study(folder.path());
  EXPECT_EQ(study.trials[0].status, TrialStatus::done);
  ASSERT_EQ(study.doubts.size(), 2u) << "a trial of two stages counts once";
  EXPECT_TRUE(says(study.doubts[0], (folder / "plan.json").string() + ": it has no member \"check\": an earlier"));
  EXPECT_TRUE(says(study.doubts[1], (folder / "trials/a0/run.json").string() +
                                        " (and 1 more of this name): it has no member \"check\""));
}

/// No metric depends on them: the trial counts.
TEST(StudyResults, NameChangedFilesBesideAResult) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const std::filesystem::path done = folder / "trials/a0";
  RunRecord run = read_run_record(done / "run.json");
  for (const auto& [name, hash] : {std::pair("trial.yaml", &run.trial_hash), {"attempts.json", &run.attempts_hash}}) {
    write_bytes(done / name, name);
    *hash = content_hash_of(name);
  }
  write_run_record(done / "run.json", run);
  EXPECT_TRUE(read_study(folder.path()).doubts.empty());
  for (const char* name : {"trial.yaml", "attempts.json"}) {
    write_bytes(done / name, "other");
    const StudyResults study = read_study(folder.path());
    EXPECT_EQ(study.trials[0].status, TrialStatus::done);
    ASSERT_EQ(study.doubts.size(), 1u) << name;
    EXPECT_TRUE(says(
        study.doubts[0],
        (done / name).string() + ": it has changed since it was written (its XXH3-128 is " + content_hash_of("other")));
    std::filesystem::remove(done / name);
    EXPECT_TRUE(says(read_study(folder.path()).doubts.at(0), (done / name).string() + ": no such file"));
    write_bytes(done / name, name);
  }
}

/// Returns the status of the first trial after a change of its folder.
template <typename Change>
std::string status_after(const Change& change) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  change(folder.path(), study_layout::done_folder(folder.path(), "a0"));
  return std::string(name_of(read_study(folder.path()).trials[0].status));
}

TEST(StudyResults, AreDamagedWhereAFileIsMissingOrSpoiled) {
  using Path = std::filesystem::path;
  for (const char* file : {"run.json", "report.json", "result.h5"}) {
    EXPECT_EQ(status_after([&](const Path&, const Path& done) { std::filesystem::remove(done / file); }), "damaged")
        << file;
    EXPECT_EQ(status_after([&](const Path&, const Path& done) { write_bytes(done / file, "{}"); }), "damaged") << file;
    EXPECT_EQ(status_after([&](const Path&, const Path& done) { write_bytes(done / file, ""); }), "damaged") << file;
  }
  EXPECT_EQ(status_after([](const Path&, const Path& done) {
              std::filesystem::resize_file(done / "result.h5", std::filesystem::file_size(done / "result.h5") + 1);
            }),
            "damaged");
  EXPECT_EQ(status_after([](const Path&, const Path& done) {
              change_json(done / "run.json", [](auto& run) { run["format"] = "gausscse-run/2"; });
            }),
            "damaged");
}

TEST(StudyResults, AreDamagedByAFlippedBit) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const std::filesystem::path done = study_layout::done_folder(folder.path(), "a0");
  const StateResult kept = read_done_trial(done).kept;
  const RunRecord run = read_done_trial(done).run;
  for (const char* name : {"run.json", "report.json", "result.h5"})
    for_each_flipped_byte(done / name, [&](std::size_t byte) {
      EXPECT_TRUE(says(refusal_of([&] { read_done_trial(done); }), (done / name).string())) << byte;
    });
  EXPECT_EQ(read_done_trial(done).run, run);
  EXPECT_EQ(read_done_trial(done).kept.step, kept.step);
  const std::string whole = read_whole_file(done / "result.h5", 1 << 20);
  std::string flipped = whole;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  write_bytes(done / "result.h5", flipped);
  const StudyTrial trial = read_study(folder.path()).trials[0];
  EXPECT_EQ(trial.status, TrialStatus::damaged);
  EXPECT_TRUE(says(trial.problem, "result.h5: damaged: it has changed since it was written (its XXH3-128 is "));
  write_bytes(done / "result.h5", whole);
  EXPECT_EQ(read_study(folder.path()).trials[0].status, TrialStatus::done);
}

/// Two done trials whose folders have each other's names.
TEST(StudyResults, AreDamagedUnderTheNameOfAnother) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const std::filesystem::path trials = folder / "trials";
  std::filesystem::rename(trials / "a0", trials / "aside");
  std::filesystem::rename(trials / "b1", trials / "a0");
  std::filesystem::rename(trials / "aside", trials / "b1");
  for (const std::size_t trial : {0, 3}) {
    EXPECT_EQ(read_study(folder.path()).trials[trial].status, TrialStatus::damaged);
    EXPECT_TRUE(says(read_study(folder.path()).trials[trial].problem, "damaged: it holds the trial \""));
  }
}

TEST(StudyResults, OfAnEarlierVersionAreReadWithoutTheHashes) {
  const TemporaryFolder folder;
  write_sample_study(folder.path());
  const std::filesystem::path done = study_layout::done_folder(folder.path(), "a0");
  change_json(done / "run.json", [](auto& run) {
    run.erase("report_hash");
    run.erase("identity");
  });
  change_json(folder / "plan.json", [](auto&) {});
  std::string report = read_whole_file(done / "report.json", 1 << 20);
  report.insert(report.find('{') + 1, " ");
  write_bytes(done / "report.json", report);
  EXPECT_EQ(read_study(folder.path()).trials[0].status, TrialStatus::done);
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
