#include <unistd.h>

#include "base/content_hash.hpp"
#include "base/lists.hpp"
#include "experiments/study/done_trial.hpp"
#include "experiments/study/study_index.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"
#include "experiments/study/study_results.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/study/json_changes.hpp"
#include "tests/experiments/study/planted_files.hpp"
#include "tests/experiments/study/sample_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

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

}  // namespace
}  // namespace gausscse
