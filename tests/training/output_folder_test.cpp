#include "training/output_folder.hpp"

#include <unistd.h>

#include "base/atomic_file.hpp"
#include "base/file_lock.hpp"
#include "base/folder_mark.hpp"
#include "base/process.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/recording_observer.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Lets go of a lock when something is noted.
class Notes : public RecordingObserver {
 public:
  void on_note(const std::string& text) override {
    RecordingObserver::on_note(text);
    held.reset();
  }
  void on_warning(const std::string& text) override { RecordingObserver::on_note(text); }
  std::optional<FileLock> held;
};

/// Relative path -> content, of all files below a folder.
std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      contents[fs::relative(entry.path(), folder).string()] = read_whole_file(entry.path(), 1 << 20);
  return contents;
}

class OutputFolderTest : public testing::Test {
 protected:
  OutputFolderTest() {
    fs::create_directories(folder_ / "bert");
    write_bytes(folder_ / "bert" / "config.json", "{}");
    write_bytes(folder_ / "dev.jsonl", "{}");
    paths_.output = folder_ / "out";
    paths_.inputs = {{"model.backbone.path", folder_ / "bert"}, {"tasks.dev.files", folder_ / "dev.jsonl"}};
  }

  OutputFolder open() { return OutputFolder(paths_, *alone_, notes_); }
  /// Returns the refusal of a file of the caller's at `path`.
  std::string refusal_of_report(const fs::path& path) {
    paths_.files = {{"--json", path, check_report_of_run}};
    return refusal();
  }
  std::string refusal() {
    return refusal_of([&] { open(); });
  }
  /// Expects a refusal that says `part`, and every file to be as it was.
  void expect_refusal(const std::string& part) {
    const auto before = contents_of(folder_.path());
    EXPECT_TRUE(says(refusal(), part));
    EXPECT_EQ(contents_of(folder_.path()), before);
  }
  void make_model() const {
    AtomicFolder model(paths_.output / "model");
    model.add_file("config.json", "{}");
    model.commit(AtomicFolder::Existing::replace);
  }

  TemporaryFolder folder_;
  RunPaths paths_;
  Notes notes_;
  std::unique_ptr<ControlGroup> alone_ = make_self_control_group();
};

TEST_F(OutputFolderTest, MayHoldAnythingElse) {
  fs::create_directories(paths_.output / "notes.tmp-old");
  for (const char* name : {"mine.txt", "lock", ".lock", ".write-test", "notes.tmp-old/mine.txt", "model.tmp-old"})
    write_bytes(paths_.output / name, "mine");
  const auto before = contents_of(paths_.output);
  {
    const OutputFolder output = open();
    output.remove_result(*alone_);
    output.mark("run", *alone_);
    output.checkpoints().remove();
  }
  auto after = contents_of(paths_.output);
  EXPECT_EQ(after.erase(folder_mark_name), 1u);
  EXPECT_EQ(after, before);
  EXPECT_EQ(notes_.notes, std::vector<std::string>());
}

/// A start that fails before there is a run leaves nothing; a file that somebody put there meanwhile keeps the folder.
TEST_F(OutputFolderTest, IsRemovedAgainWhereNoRunWasBegun) {
  { const OutputFolder output = open(); }
  EXPECT_FALSE(fs::exists(paths_.output));
  paths_.token_cache = paths_.output / "model" / "cache";
  EXPECT_NE(refusal(), "accepted");
  EXPECT_FALSE(fs::exists(paths_.output));
  paths_.token_cache.clear();
  {
    const OutputFolder output = open();
    write_bytes(paths_.output / "mine.txt", "mine");
  }
  EXPECT_EQ(contents_of(paths_.output).count("mine.txt"), 1u);
  fs::remove_all(paths_.output);
  {
    const OutputFolder output = open();
    output.mark("a run", *alone_);
  }
  EXPECT_EQ(contents_of(paths_.output).count(".gausscse"), 1u);
  fs::remove_all(paths_.output);
  fs::create_directory(paths_.output);
  { const OutputFolder output = open(); }
  EXPECT_TRUE(fs::exists(paths_.output)) << "it was there before";
}

TEST_F(OutputFolderTest, ForeignModelIsRefusedByName) {
  fs::create_directories(paths_.output / "model");
  EXPECT_EQ(refusal(), "accepted") << "an empty folder";
  write_bytes(paths_.output / "model" / "mine.txt", "mine");
  expect_refusal((paths_.output / "model").string() +
                 " would be replaced, but gausscse did not write it; it holds mine");
  fs::remove_all(paths_.output / "model");
  make_model();
  EXPECT_EQ(refusal(), "accepted");
  write_bytes(paths_.output / "model" / "mine.txt", "mine");
  expect_refusal("but holds files that gausscse did not write: mine.txt");
}

TEST_F(OutputFolderTest, ForeignResultIsRefused) {
  fs::create_directories(paths_.output);
  const fs::path file = paths_.output / "result.h5";
  write_result(file, sample_result());
  const std::string whole = read_whole_file(file, 1 << 20);
  EXPECT_EQ(refusal(), "accepted") << "known by its content";
  ASSERT_TRUE(has_folder_mark(paths_.output, FolderKind::output));
  write_bytes(file, whole.substr(0, whole.size() / 2));
  EXPECT_EQ(refusal(), "accepted") << "known by the mark of the folder, and damaged";
  write_bytes(file, "my words");
  expect_refusal(file.string() + " is not a result that a run wrote");
  write_bytes(file, whole.substr(0, whole.size() / 2));
  fs::remove(paths_.output / folder_mark_name);
  expect_refusal(file.string() + " is not a result that a run wrote");
}

TEST_F(OutputFolderTest, ForeignCheckpointIsRefused) {
  fs::create_directories(paths_.output / "checkpoints");
  write_bytes(paths_.output / "checkpoints" / "mine.bin", "mine");
  EXPECT_EQ(refusal(), "accepted");
  write_bytes(paths_.output / "checkpoints" / "step-000000007.safetensors", "mine");
  expect_refusal("step-000000007.safetensors has the name of a checkpoint");
}

TEST_F(OutputFolderTest, ForeignLockIsRefused) {
  fs::create_directories(paths_.output);
  const fs::path lock = paths_.output / ".gausscse.lock";
  for (const char* mine : {"mine", ""}) {
    write_bytes(lock, mine);
    expect_refusal(lock.string() + " is in the way: it holds something else or nothing");
    EXPECT_TRUE(says(refusal(), ": move it, or give another `output`"));
  }
  write_bytes(lock, "process 17 on there\n");
  EXPECT_EQ(refusal(), "accepted");
  EXPECT_EQ(notes_.notes, std::vector<std::string>{"an earlier run in this folder was killed (process 17 on there)"});
  EXPECT_FALSE(fs::exists(lock));
}

/// mpirun ends before the last of a killed run's ranks: who goes on at once meets it.
TEST_F(OutputFolderTest, ARunThatIsEndingIsWaitedFor) {
  fs::create_directories(paths_.output);
  notes_.held.emplace(paths_.output / ".gausscse.lock");
  EXPECT_EQ(refusal(), "accepted");
  ASSERT_EQ(notes_.notes.size(), 1u);
  EXPECT_EQ(notes_.notes[0], concat(paths_.output.string(), " is in use by another run (process ", ::getpid(), " on ",
                                    host_name(), "): waiting 5 s for its end"));
}

TEST_F(OutputFolderTest, AModelsFolderIsRefused) {
  fs::create_directories(paths_.output);
  make_model();
  paths_.output /= "model";
  expect_refusal("is in the way");
}

TEST_F(OutputFolderTest, InputsAreRefused) {
  fs::create_directories(paths_.output);
  fs::create_symlink(folder_ / "bert", paths_.output / "model");
  expect_refusal("out/model is read as model.backbone.path");
  fs::remove(paths_.output / "model");
  fs::create_hard_link(folder_ / "dev.jsonl", paths_.output / "result.h5");
  expect_refusal("out/result.h5 is read as tasks.dev.files");
  paths_.output = folder_ / "bert";
  EXPECT_TRUE(says(refusal(), "bert is read as model.backbone.path"));
}

TEST_F(OutputFolderTest, TokenCacheMayNotLieInWhatIsReplaced) {
  for (const char* cache : {"model", "model/cache", "checkpoints/cache"}) {
    paths_.token_cache = paths_.output / cache;
    EXPECT_TRUE(says(refusal(), "data.cache " + paths_.token_cache.string() + " lies in")) << cache;
  }
  paths_.token_cache = paths_.output / "cache";
  EXPECT_EQ(refusal(), "accepted");
}

TEST_F(OutputFolderTest, ReportMayNotTakeTheRunsOwnNames) {
  for (const char* name : {"result.h5", "model", "model/report.json", "checkpoints/x", ".gausscse", ".gausscse.lock"}) {
    const fs::path path = paths_.output / name;
    EXPECT_TRUE(says(refusal_of_report(path), "--json " + path.string() + " is a path to which the run writes: "))
        << name;
  }
  EXPECT_TRUE(says(refusal_of_report(paths_.output), "is a folder"));
  EXPECT_TRUE(says(refusal_of_report(paths_.output / "missing" / "report.json"), "there is no folder"));
  EXPECT_TRUE(says(refusal_of_report(folder_ / "dev.jsonl"), "is the file that is read as tasks.dev.files"));
  EXPECT_EQ(refusal_of_report(paths_.output / "report.json"), "accepted");
  EXPECT_EQ(refusal_of_report(""), "accepted") << "none is asked for";
  paths_.files = {{"--json", paths_.output / "a.json", check_report_of_run},
                  {"--progress", paths_.output / "a.json", check_report_of_run}};
  expect_refusal("--progress " + (paths_.output / "a.json").string() + " is the file of --json, too");
}

/// A model is written before its result; one without was being replaced, or its result was taken away.
TEST_F(OutputFolderTest, ModelOfAnotherRunWithoutItsResultIsRefused) {
  fs::create_directories(paths_.output);
  const auto refusal_for = [&](const char* run) {
    const OutputFolder output = open();
    return refusal_of([&] { output.check_model_of(run, *alone_); });
  };
  EXPECT_EQ(refusal_for("one"), "accepted") << "no model";
  make_model();
  EXPECT_TRUE(says(refusal_for("one"), "is the model of another run"));
  open().mark("one", *alone_);
  EXPECT_EQ(refusal_for("one"), "accepted");
  EXPECT_TRUE(says(refusal_for("other"), "--overwrite"));
  open().mark("other", *alone_);
  EXPECT_EQ(refusal_for("other"), "accepted");
  write_result(paths_.output / "result.h5", sample_result());
  EXPECT_EQ(refusal_for("one"), "accepted") << "the result tells whose they are";
}

TEST_F(OutputFolderTest, RemovesWhatKilledRunsLeftUnfinished) {
  fs::create_directories(paths_.output / "checkpoints");
  // No process has this number: it is above the largest that Linux gives.
  const std::string dead = ".tmp-" + host_name() + "-4194305-0", elsewhere = ".tmp-elsewhere-17-0";
  const fs::path checkpoints = paths_.output / "checkpoints";
  for (const fs::path& own :
       {paths_.output / "result.h5", paths_.output / "model", paths_.output / ".gausscse",
        paths_.output / ".gausscse.lock", checkpoints / "step-000000003.safetensors", checkpoints / ".gausscse"})
    for (const std::string& end : {dead, elsewhere}) write_bytes(own.string() + end, "half");
  for (const std::string name : {"notes", "model2", "checkpoints/mine.bin"})
    write_bytes(paths_.output / (name + dead), "mine");
  const auto before = contents_of(paths_.output);
  open();
  auto after = contents_of(paths_.output);
  after.erase(folder_mark_name);
  for (const char* own : {"result.h5", "model", ".gausscse", ".gausscse.lock", "checkpoints/step-000000003.safetensors",
                          "checkpoints/.gausscse"}) {
    EXPECT_EQ(after.count(own + dead), 0u) << own;
    const std::string told = (paths_.output / own).string() + elsewhere + " was left unfinished by another process";
    EXPECT_TRUE(std::ranges::any_of(notes_.notes, [&](const std::string& note) { return note.starts_with(told); }))
        << own;
  }
  EXPECT_EQ(after.size(), before.size() - 6);
  EXPECT_EQ(notes_.notes.size(), 6u);
}

TEST_F(OutputFolderTest, RemovesAResultWithItsCheckpoints) {
  const OutputFolder output = open();
  write_result(output.result(), sample_result());
  fs::create_directories(output.checkpoints().path());
  mark_folder(output.checkpoints().path(), FolderKind::checkpoints);
  write_bytes(output.checkpoints().file(3), "a checkpoint");
  output.remove_result(*alone_);
  EXPECT_FALSE(fs::exists(output.result()));
  EXPECT_FALSE(fs::exists(output.checkpoints().path()));
}

}  // namespace
}  // namespace gausscse
