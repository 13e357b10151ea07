#include <cerrno>

#include "experiments/claims/claim_content.hpp"
#include "experiments/study/study_records.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/support/no_write_permission.hpp"
#include "tests/support/testing.hpp"

// Refusals and warnings of a worker, and manifests that change.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
TEST_F(WorkerTest, RefusesTheFolderOfAnotherStudyAndOneThatHoldsOtherThings) {
  study.write_manifest({1});
  fs::create_directory(study.results());
  write_bytes(study.results() / "thesis.tex", "");
  EXPECT_TRUE(says(refusal_of([&] { run(); }), "it holds \"thesis.tex\" and no plan.json"));
  fs::remove(study.results() / "thesis.tex");
  write_bytes(study.results() / "manifest.yaml", "mine");
  EXPECT_TRUE(says(refusal_of([&] { run(); }), "it holds \"manifest.yaml\" and no plan.json"));
  fs::remove(study.results() / "manifest.yaml");
  write_plan(study.results() / "plan.json", PlanFile{.study = "other", .manifest_hash = "", .trials = {}});
  EXPECT_TRUE(says(refusal_of([&] { run(); }), "holds the study \"other\", and the manifest's is \"small\""));
  EXPECT_FALSE(fs::exists(study.results() / "claims"));
  StudyRunOptions options = study.options();
  options.results = study.manifest();
  EXPECT_TRUE(says(refusal_of([&] { run(options); }), "is no folder"));
}

TEST_F(WorkerTest, TakesAChangedManifestOverFromTheFolder) {
  study.write_manifest({1, 2});
  ASSERT_EQ(run(), 0) << observer.lines;
  study.write_manifest({2, 3});
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), (Seeds{2, 3}));
  EXPECT_EQ(study.noted("begins 2"), 1u);
}

TEST_F(WorkerTest, FinishesItsTrialsAndStopsWhereTheManifestChanges) {
  study.write_manifest({1, 2, 3, 4, 5, 6, 7, 8, seed_that_waits});
  const std::string before = read_whole_file(study.manifest(), 1 << 20);
  StudyRunOptions options = study.options();
  observer.meanwhile = [&] {
    if (study.noted("begins 1") > 0) write_bytes(study.manifest(), before + "# changed\n");
  };
  EXPECT_EQ(run(options), 1) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "study.yaml has changed since this worker started"));
  EXPECT_TRUE(study.seeds(TrialStatus::interrupted).empty()) << "what ran is finished";
  EXPECT_EQ(study.noted("waits"), 0u);
}

TEST_F(WorkerTest, StopsWhereItsFolderIsRunWithAnotherText) {
  study.write_manifest({1, 2, 3, 4, 5, 6, 7, 8, seed_that_waits});
  observer.meanwhile = [&] {
    if (study.noted("begins 1") == 0) return;
    PlanFile plan = read_plan(study.results() / "plan.json");
    plan.manifest_hash = "another";
    write_plan(study.results() / "plan.json", plan);
  };
  EXPECT_EQ(run(), 1) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "is now run with another text of the manifest"));
  EXPECT_EQ(read_plan(study.results() / "plan.json").manifest_hash, "another");
}

TEST_F(WorkerTest, GoesOnWhereTheManifestCannotBeReadAnyMore) {
  study.write_manifest({1, 2, 3, 4, 5});
  observer.meanwhile = [&] {
    if (study.noted("begins 1") > 0) fs::remove(study.manifest());
  };
  EXPECT_EQ(run(), 0) << observer.lines;
}

TEST_F(WorkerTest, ToldOfAProgramThatDoesNotExistMarksNothingFailed) {
  study.write_manifest({1, 2, 3});
  StudyRunOptions options = study.options();
  // Found to be none only when it is started.
  options.train_program = folder / "no_interpreter";
  write_bytes(options.train_program, "#!/missing/shell\n");
  fs::permissions(options.train_program, fs::perms::owner_all);
  EXPECT_TRUE(says(refusal_of([&] { run(options); }), "no trial can be started"));
  EXPECT_TRUE(names("failed").empty());
  EXPECT_TRUE(names("claims").empty());
  ASSERT_EQ(run(), 0) << observer.lines;
}

TEST_F(WorkerTest, SaysWhatIsWrongWithAProgramThatIsNone) {
  StudyRunOptions options = study.options();
  const auto refusal = [&] {
    // As an earlier call may have left it.
    errno = ENOENT;
    return refusal_of([&] { program_that_trains(options); });
  };
  const auto refused = [&](const std::string& why) {
    return concat("--train-program ", options.train_program.string(), " is no program that can be started", why);
  };
  options.train_program = folder.path();
  EXPECT_EQ(refusal(), refused(": it is a folder"));
  options.train_program = folder / "missing";
  EXPECT_EQ(refusal(), refused(": there is no such file"));
  options.train_program = study.manifest().parent_path() / "train.jsonl";
  EXPECT_EQ(refusal(), refused("")) << "it is there, and may not be executed";
}

TEST_F(WorkerTest, WarnsOfTrialsThatHaveTooFewCores) {
  study.write_manifest({1});
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(observer.lines.find("warning"), std::string::npos) << observer.lines;
  study.write_manifest({1}, "resources: {threads: 4096}\n");
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, "warning: a trial's 1 rank of 4096 threads share "));
}

TEST_F(WorkerTest, ClaimsTrialsWithItsLease) {
  study.write_manifest({seed_that_waits});
  StudyRunOptions options = study.options();
  options.lease = 45;
  std::vector<double> leases;
  observer.meanwhile = [&] {
    if (study.noted("waits") == 0) return;
    stop.asked = 1;
    for (const std::string& name : names("claims"))
      if (const auto claim = parse_claim(read_whole_file(study.results() / "claims" / name, 4096)))
        leases.push_back(claim->lease);
  };
  EXPECT_EQ(run(options), 128 + 10) << observer.lines;
  ASSERT_FALSE(leases.empty());
  for (const double lease : leases) EXPECT_EQ(lease, 45);
}

TEST_F(WorkerTest, IsToldOfAFolderThatCannotBeWrittenTo) {
  study.write_manifest({1});
  StudyRunOptions options = study.options();
  options.results = "/proc/results";
  EXPECT_THROW(run(options), WriteError);
  ASSERT_EQ(run(), 0) << observer.lines;
  // A file in the place of a folder, as even root may not write to it.
  study.write_manifest({1, 2});
  fs::remove(study.results() / "unfinished");
  write_bytes(study.results() / "unfinished", "");
  EXPECT_THROW(run(), WriteError);
  EXPECT_TRUE(names("claims").empty());
}

/// The results of a colleague, who lets others look and not write.
TEST_F(WorkerTest, NamesTheRemedyWhereItMayNotWriteToItsFolder) {
  study.write_manifest({1});
  ASSERT_EQ(run(), 0) << observer.lines;
  fs::permissions(folder.path(), fs::perms(0755));
  study.write_manifest({1, 2});
  std::string reason_given;
  try {
    const NoWritePermission others(study.results());
    run();
  } catch (const WriteError& error) {
    reason_given = error.what();
  }
  EXPECT_TRUE(says(reason_given, concat("cannot write ", (study.results() / "plan.json.tmp-").string())));
  EXPECT_TRUE(says(reason_given, concat(": Permission denied: ask the owner of ", study.results().string(),
                                        " for permission to write there, or give another folder")));
  EXPECT_EQ(read_plan(study.results() / "plan.json").trials.size(), 1u);
}

}  // namespace
}  // namespace gausscse
