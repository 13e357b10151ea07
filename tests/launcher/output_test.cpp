#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t largest_file = std::size_t{64} << 20;

/// Relative path -> content, of all files below a folder.
std::map<std::string, std::string> contents_of(const fs::path& folder) {
  std::map<std::string, std::string> contents;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      contents[fs::relative(entry.path(), folder).string()] = read_whole_file(entry.path(), largest_file);
  return contents;
}

/// Outputs that a program may write to, where a user loses nothing.
class Output : public TinyProjectTest {
 protected:
  void write_own(const std::string& name) {
    const fs::path path = project_.output() / name;
    fs::create_directories(path.parent_path());
    write_bytes(path, "mine: " + name);
    own_.push_back(name);
  }
  void expect_own_kept() const {
    for (const std::string& name : own_)
      EXPECT_EQ(read_whole_file(project_.output() / name, 100), "mine: " + name) << name;
  }
  ProgramRun train(const std::vector<std::string>& more = {}, int ranks = 0) const {
    return run_program(with(train_arguments(project_, "", {"training.checkpoint_every=1"}), more), ranks);
  }
  /// Expects a refusal that says `part` before any work was done, and nothing to be lost or left.
  void expect_refusal(const std::vector<std::string>& arguments, const std::string& part, int ranks = 0) const {
    const auto before = contents_of(folder_.path());
    const ProgramRun run = run_expecting(2, arguments, {part}, ranks);
    EXPECT_EQ(run.errors.find("training data:"), std::string::npos) << "data were read:\n" << run.errors;
    EXPECT_TRUE(contents_of(folder_.path()) == before) << part;
  }
  std::vector<std::string> train_with(const std::vector<std::string>& more) const {
    return with(train_arguments(project_), more);
  }

  std::vector<std::string> own_;
};

TEST_F(Output, WhatLiesBesideARunsFilesStays) {
  for (const char* name : {"notes.tmp-old/mine.txt", "checkpoints/mine.bin", "models/mine.txt", ".lock", "result.txt"})
    write_own(name);
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {}, {"--overwrite"}}) {
    EXPECT_TRUE(ended(train(flags), 0));
    EXPECT_TRUE(fs::exists(project_.output() / "result.h5"));
    expect_own_kept();
    EXPECT_EQ(std::distance(fs::directory_iterator(project_.output() / "checkpoints"), fs::directory_iterator()), 1)
        << "only the run's own checkpoints are removed";
  }
}

TEST_F(Output, AForeignModelFolderIsRefusedByName) {
  write_own("model/mine.txt");
  write_own("checkpoints/mine.bin");
  write_own("notes.tmp-old/mine.txt");
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--overwrite"}})
    for (const int ranks : {0, 2})
      expect_refusal(train_with(flags), (project_.output() / "model").string() + " would be replaced", ranks);
}

TEST_F(Output, WhatAUserPutIntoAModelIsNamedAndKept) {
  ASSERT_EQ(train().exit_code, 0);
  const fs::path card = project_.output() / "model" / "README.md";
  const std::string written = read_whole_file(card, largest_file);
  write_bytes(card, "my words");
  expect_refusal(train_with({"--overwrite", "--set", "training.seed=1"}), "README.md (changed since)");
  write_bytes(card, written);
  write_own("model/mine.txt");
  expect_refusal(train_with({"--overwrite", "--set", "training.seed=1"}), "did not write: mine.txt");
  fs::remove(project_.output() / "model" / "mine.txt");
  run_expecting(0, train_with({"--overwrite", "--set", "training.seed=1"}));
}

TEST_F(Output, AForeignResultOrCheckpointIsRefused) {
  write_own("result.h5");
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--overwrite"}})
    expect_refusal(train_with(flags), "result.h5 is not a result that a run wrote");
  fs::remove(project_.output() / "result.h5");
  write_own("checkpoints/step-000000003.safetensors");
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--overwrite"}})
    expect_refusal(train_with(flags), "step-000000003.safetensors has the name of a checkpoint");
}

TEST_F(Output, ATrainedModelIsNotLostWithItsResult) {
  ASSERT_EQ(train().exit_code, 0);
  fs::remove(project_.output() / "result.h5");
  const auto before = contents_of(project_.output());
  const std::vector<std::string> other = {"--set", "training.seed=1"};
  EXPECT_TRUE(ended(train(other), 2, {"is the model of another run"}));
  EXPECT_TRUE(contents_of(project_.output()) == before);
  EXPECT_EQ(train().exit_code, 0) << "the same run writes the same model";
  fs::remove(project_.output() / "result.h5");
  EXPECT_EQ(train({"--set", "training.seed=1", "--overwrite"}).exit_code, 0);
}

TEST_F(Output, ABackboneIsNotReplaced) {
  ASSERT_EQ(train().exit_code, 0);
  const std::string model = (project_.output() / "model").string();
  expect_refusal(train_with({"--overwrite", "--set", "model.backbone.path=" + model}), "which this run writes");
  // The same folder by another path.
  fs::create_directory_symlink(model, folder_ / "link");
  expect_refusal(train_with({"--overwrite", "--set", "model.backbone.path=" + path("link")}),
                 "is read as model.backbone.path");
}

TEST_F(Output, AReportTakesNoInputsPlace) {
  const std::string trial = project_.trial().string(), dev = project_.dev().string();
  fs::create_hard_link(project_.train(), folder_ / "train again.jsonl");
  fs::create_symlink("trial.yaml", folder_ / "link.yaml");
  for (const int ranks : {0, 2})
    expect_refusal(train_with({"--json", trial}), "is the file that is read as the trial", ranks);
  for (const char* name : {"link.yaml", "trial.yaml"})
    expect_refusal(train_with({"--json", (folder_ / name).string(), "--overwrite"}),
                   "is the file that is read as the trial");
  expect_refusal(train_with({"--json", dev}), "is the file that is read as tasks.dev.files");
  expect_refusal(train_with({"--json", path("train again.jsonl")}), "is the file that is read as data.train");
  expect_refusal(train_with({"--json", (project_.model() / "vocab.txt").string()}),
                 "is the file that is read as model.backbone.path");
}

TEST_F(Output, AReportTakesNoTokenizersPlace) {
  fs::copy(project_.model(), folder_ / "tokenizer");
  std::string trial = read_whole_file(project_.trial(), 10'000);
  const std::string backbone = "backbone: {path: model}";
  ASSERT_TRUE(says(trial, backbone));
  write_bytes(folder_ / "random.yaml",
              trial.replace(trial.find(backbone), backbone.size(),
                            "backbone: {architecture: minilm-l6, init: random, tokenizer: tokenizer}"));
  expect_refusal({"train", folder_ / "random.yaml", "--json", folder_ / "tokenizer/vocab.txt"},
                 "is the file that is read as model.backbone.tokenizer");
}

TEST_F(Output, ATokenCacheIsNotKeptInWhatIsReplaced) {
  const std::string cache = (project_.output() / "model/cache").string();
  expect_refusal(train_with({"--set", "data.cache=" + cache}), "data.cache " + cache + " lies in ");
}

TEST_F(Output, AReportIsLookedAtBeforeTheTraining) {
  write_bytes(folder_ / "notes.txt", "mine");
  expect_refusal(train_with({"--json", path("notes.txt")}), "is there already and is no report of a training");
  expect_refusal(train_with({"--json", path("notes.txt"), "--overwrite"}), "is there already and is no report");
  expect_refusal(train_with({"--json", (folder_ / "none" / "x.json").string()}), "there is no folder");
  expect_refusal(train_with({"--json", "/proc/x.json"}), "--json /proc/x.json cannot be written");
  expect_refusal(train_with({"--json", folder_.path().string()}), "is a folder");
  for (const char* name : {"out", "out/result.h5", "out/model", "out/model/x.json", "out/checkpoints/x.json"})
    expect_refusal(train_with({"--json", (folder_ / name).string()}), "--json " + (folder_ / name).string());
}

TEST_F(Output, AProgressFileIsLookedAtBeforeTheTraining) {
  write_bytes(folder_ / "notes.txt", "mine");
  write_bytes(folder_ / "empty.txt", "");
  for (const char* name : {"notes.txt", "empty.txt"})
    expect_refusal(train_with({"--progress", (folder_ / name).string(), "--overwrite"}),
                   "is there already and is no progress file of gausscse");
  for (const int ranks : {0, 2})
    expect_refusal(train_with({"--progress", project_.trial().string()}), "is the file that is read as the trial",
                   ranks);
  expect_refusal(train_with({"--progress", project_.dev().string()}), "is the file that is read as tasks.dev.files");
  expect_refusal(train_with({"--progress", (folder_ / "none" / "x.json").string()}), "there is no folder");
  expect_refusal(train_with({"--progress", "/proc/x.json"}), "--progress /proc/x.json cannot be written");
  for (const char* name : {"out", "out/result.h5", "out/model", "out/model/x.json", "out/.gausscse.lock"})
    expect_refusal(train_with({"--progress", (folder_ / name).string()}), "--progress " + (folder_ / name).string());
  // One file by two names.
  fs::create_directory_symlink(folder_.path(), folder_ / "here");
  expect_refusal(train_with({"--progress", path("x.json"), "--json", path("here/x.json")}),
                 "is the file of --json, too: give each its own");
  // A training that is done leaves files that the next one may write over.
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(train({"--progress", (project_.output() / "x.json").string(), "--overwrite"}).exit_code, 0);
}

TEST_F(Output, AForeignLockIsRefused) {
  const std::string name = ".gausscse.lock";
  write_own(name);
  for (const int ranks : {0, 2})
    expect_refusal(train_with({"--overwrite"}), "move it, or give another `output`", ranks);
  expect_own_kept();
  fs::remove(project_.output() / name);
  write_bytes(folder_ / "mine.txt", "mine");
  fs::create_symlink("../mine.txt", project_.output() / name);
  expect_refusal(train_with({}), name + " is in the way: it is a symbolic link, a folder or the like");
  fs::remove(project_.output() / name);
  EXPECT_EQ(train().exit_code, 0);
}

TEST_F(Output, AReportMayLieInTheOutputAndReplaceAReport) {
  const std::string report = (project_.output() / "report.json").string();
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {}, {"--overwrite"}}) {
    EXPECT_EQ(train(with({"--json", report}, flags)).exit_code, 0);
    EXPECT_TRUE(fs::exists(report));
    EXPECT_TRUE(fs::exists(project_.output() / "result.h5"));
  }
}

TEST_F(Output, GenerateMakesANewFolderOnly) {
  const std::vector<std::string> few = {"--train", "30", "--dev", "3", "--test", "3"};
  const auto generate = [&](const fs::path& path) { return with({"generate", path.string()}, few); };
  write_own("mine.txt");
  expect_refusal(generate(project_.output()), "is there already and not an empty folder");
  expect_refusal(generate(project_.dev()), "is a file, but a folder must be made there");
  expect_refusal(generate(folder_ / "none" / "corpus"), "there is no folder " + path("none"));
  expect_refusal(generate("/proc/corpus"), "/proc/corpus cannot be written");
  run_expecting(0, generate(folder_ / "corpus"));
  EXPECT_TRUE(fs::exists(folder_ / "corpus" / "train.jsonl"));
}

}  // namespace
}  // namespace gausscse
