#include <sys/stat.h>

#include <regex>

#include "base/process.hpp"
#include "experiments/claims/claims.hpp"
#include "experiments/study/study_index.hpp"
#include "experiments/worker/study_folder.hpp"
#include "tests/experiments/study/planted_files.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/worker_fixture.hpp"
#include "tests/support/testing.hpp"

// Results folders that others can write to: files that they may put in a worker's way.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
class SharedFolder : public WorkerTest {
 protected:
  SharedFolder() {
    study.write_manifest({1});
    make_study_folders(study.results());
    StudyPlanner planner(study.results(), read_manifest(study.manifest()));
    planner.plan();
    identity = planner.trials().at(0).planned.identity;
  }

  fs::path place(const char* folder_name, const std::string& generation = "1") const {
    return study.results() / folder_name / (identity + "." + generation);
  }
  int run_with_lease(double lease) {
    StudyRunOptions options = study.options();
    options.lease = lease;
    return run(options);
  }
  static std::string content_of(const fs::path& file) { return read_whole_file(file, 1 << 20); }

  std::string identity;
};

TEST_F(SharedFolder, WithALinkInPlaceOfATrialsFolder) {
  const fs::path others = folder / "others";
  fs::create_directory(others);
  for (const char* name : {"trial.yaml", "run.json", "attempts.json", "report.json", "log.txt"})
    write_bytes(others / name, "mine");
  fs::create_directory_symlink(others, place("unfinished"));
  ASSERT_EQ(run(), 0) << observer.lines;
  for (const char* name : {"trial.yaml", "run.json", "attempts.json", "report.json", "log.txt"})
    EXPECT_EQ(content_of(others / name), "mine") << name;
  EXPECT_FALSE(fs::is_symlink(study.results() / "trials" / identity));
  EXPECT_TRUE(names("unfinished").empty());
}

TEST_F(SharedFolder, WithLinksInPlaceOfATrialsFiles) {
  const fs::path mine = folder / "mine.txt";
  write_bytes(mine, "mine");
  fs::create_directory(place("unfinished"));
  for (const char* name : {"log.txt", "progress.json", "report.json", "attempts.json", "trial.yaml"})
    fs::create_symlink(mine, place("unfinished") / name);
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(content_of(mine), "mine");
  EXPECT_TRUE(says(content_of(study.trial(1).folder / "log.txt"), "the result is in"));
}

TEST_F(SharedFolder, WithALinkOrAPipeInPlaceOfAFileOfTheStudy) {
  ASSERT_EQ(run(), 0) << observer.lines;
  for (const char* name : {"plan.json", "manifest.yaml"})
    expect_planted_named(study.results() / name, [&] { return refusal_of([&] { run(); }); });
  write_index(read_study(study.results()), study.results() / "index.h5");
  expect_planted_named(study.results() / "index.h5", [&] {
    observer.lines.clear();
    EXPECT_EQ(run(), 0);
    return observer.lines;
  });
  // A damaged result is set aside, and the trial is run again.
  for (const char* name : {"run.json", "report.json", "result.h5"})
    expect_planted_named(study.results() / "trials" / identity / name,
                         [&] { return look_at_trial(study.results(), identity).damaged[identity]; });
}

/// The folder at the link's end may be anybody's, and change: the trial does not count as done.
TEST_F(SharedFolder, WithALinkInPlaceOfADoneTrial) {
  ASSERT_EQ(run(), 0) << observer.lines;
  const fs::path done = study.results() / "trials" / identity, elsewhere = folder / "elsewhere";
  fs::rename(done, elsewhere);
  fs::create_directory_symlink(elsewhere, done);
  const std::string message = done.string() + ": is a symbolic link";
  const StudyResults results = read_study(study.results());
  EXPECT_EQ(results.trials.at(0).status, TrialStatus::damaged);
  EXPECT_TRUE(says(results.trials.at(0).problem, message)) << results.trials.at(0).problem;
  observer.lines.clear();
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, message)) << observer.lines;
  EXPECT_FALSE(fs::is_symlink(done));
  EXPECT_EQ(read_study(study.results()).trials.at(0).status, TrialStatus::done);
  EXPECT_TRUE(fs::exists(elsewhere / "result.h5"));
}

/// A link that the user made stays, and so does the file at its end, also where no worker has been in the folder yet.
TEST_F(SharedFolder, WithALinkInPlaceOfTheManifestOfANewStudy) {
  const fs::path manifest = study.results() / "manifest.yaml", mine = folder / "mine.txt";
  write_bytes(mine, "mine");
  fs::create_symlink(mine, manifest);
  EXPECT_TRUE(says(refusal_of([&] { run(); }), manifest.string() + ": is a symbolic link"));
  EXPECT_TRUE(fs::is_symlink(manifest));
  EXPECT_EQ(content_of(mine), "mine");
  EXPECT_FALSE(fs::exists(study.results() / "trials" / identity));
}

TEST_F(SharedFolder, WithARecordAndAPlanWithoutHashes) {
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(observer.lines.find("it has no member"), std::string::npos);
  const fs::path plan = study.results() / "plan.json", record = study.results() / "trials" / identity / "run.json";
  for (const fs::path& file : {plan, record}) {
    const std::string text = content_of(file);
    write_bytes(file, text.substr(0, text.rfind(",\n  \"check\"")) + "}");
  }
  const fs::path trial_file = record.parent_path() / "trial.yaml";
  write_bytes(trial_file, content_of(trial_file) + "# mine\n");
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_TRUE(says(observer.lines, plan.string() + ": it has no member \"check\""));
  EXPECT_TRUE(says(observer.lines, record.string() + ": it has no member \"check\""));
  EXPECT_TRUE(says(observer.lines, trial_file.string() + ": it has changed since it was written"));
  EXPECT_TRUE(says(content_of(plan), "\"check\"")) << "a worker writes it again";
}

TEST_F(SharedFolder, WithAPipeAFolderOrALinkInPlaceOfAClaim) {
  const fs::path claim = place("claims");
  const std::vector<std::function<void()>> makers{[&] { ::mkfifo(claim.c_str(), 0600); },
                                                  [&] { fs::create_directory(claim); },
                                                  [&] { fs::create_symlink("/dev/zero", claim); }};
  for (const auto& make : makers) {
    make();
    ASSERT_EQ(run_with_lease(0.3), 0) << observer.lines;
    EXPECT_TRUE(names("claims").empty());
    fs::remove_all(study.results() / "trials" / identity);
  }
}

TEST_F(SharedFolder, WithGenerationsThatCannotBeRaised) {
  const std::string highest = "9223372036854775807";
  fs::create_directory(place("unfinished", highest));
  write_bytes(place("claims", highest), "");
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(study.seeds(TrialStatus::done), Seeds{1});
}

/// It is held by a host of which nobody knows whether it lives.
TEST_F(SharedFolder, ReportsWhomAWorkerWaitsFor) {
  ProcessIdentity elsewhere = this_process_identity();
  elsewhere.host = "node17";
  elsewhere.number = 4711;
  Claims others(study.results(), 3600, std::chrono::steady_clock::now, elsewhere);
  const auto claim = others.acquire(identity);
  ASSERT_TRUE(claim);
  std::chrono::seconds ahead{0};
  observer.meanwhile = [&] {
    ahead += std::chrono::seconds(1);
    if (ahead > std::chrono::seconds(70)) stop.asked = 1;
  };
  EXPECT_EQ(run_in_slots(1, [&] { return std::chrono::steady_clock::now() + ahead; }), 128 + 10);
  const std::string line = "no trial to start: all 16 seed 1 is held by process 4711 on node17 (its claim was renewed ";
  EXPECT_TRUE(says(observer.lines, line));
  // The time passed and the time left make up the lease of an hour, each rounded.
  std::smatch found;
  ASSERT_TRUE(std::regex_search(
      observer.lines, found,
      std::regex("renewed (\\d+)s ago; another worker takes it over after (\\d+)m(\\d+)s more without a renewal\\)")))
      << observer.lines;
  EXPECT_NEAR(std::stoi(found[1]) + 60 * std::stoi(found[2]) + std::stoi(found[3]), 3600, 1);
  std::size_t times = 0;
  for (std::size_t at = observer.lines.find(line); at != std::string::npos; at = observer.lines.find(line, at + 1))
    ++times;
  EXPECT_EQ(times, 4u) << "after 5, 10, 20 and 40 s: " << observer.lines;
}

/// Temporary files of workers of this host that were killed; another host's may be written still.
TEST_F(SharedFolder, IsClearedOfWhatKilledWorkersDidNotFinish) {
  const std::string dead = ".tmp-" + host_name() + "-4194305.7-0";
  const std::vector<std::string> kept{"plan.json.tmp-elsewhere-17.7-0", "mine" + dead};
  for (const char* name : {"plan.json", "manifest.yaml", "failed/0123.json"})
    write_bytes(study.results() / (name + dead), "half");
  ASSERT_EQ(run(), 0) << observer.lines;
  for (const std::string& name : kept) write_bytes(study.results() / name, "x");
  write_bytes(study.results() / ("index.h5" + dead), "half");
  ASSERT_EQ(run(), 0) << observer.lines;
  EXPECT_EQ(sorted_names_in(study.results()),
            (std::vector<std::string>{"claims", "failed", "index.h5", "manifest.yaml", kept[1], "plan.json", kept[0],
                                      "trials", "unfinished"}));
  EXPECT_TRUE(names("failed").empty());
}

}  // namespace
}  // namespace gausscse
