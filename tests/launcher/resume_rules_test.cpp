#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
const Overrides faster = {"training.checkpoint_every=1", "training.learning_rate=0.002"};

/// The folder `killed` has two checkpoints of a run that was killed, `whole` the same run undisturbed. They are made
/// once; each test has a copy of `killed` to itself.
class ResumeRules : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_folder_ = std::make_unique<TemporaryFolder>();
    shared_project_ = std::make_unique<TinyProject>(shared_folder_->path());
    ASSERT_EQ(train(*shared_project_, "whole").exit_code, 0);
    ASSERT_NO_FATAL_FAILURE(kill_after_two_checkpoints(*shared_project_, "pristine"));
  }
  static void TearDownTestSuite() {
    shared_project_.reset();
    shared_folder_.reset();
  }

  void SetUp() override { fs::copy(path("pristine"), path("killed"), fs::copy_options::recursive); }
  void TearDown() override { fs::remove_all(path("killed")); }

  static const TinyProject& project() { return *shared_project_; }
  static fs::path path(const std::string& output) { return project().output(output); }

  static ProgramRun train_with_overwrite(const Overrides& overrides) {
    std::vector<std::string> arguments = train_arguments(project(), "killed", overrides);
    arguments.push_back("--overwrite");
    return run_program(arguments);
  }

  /// Expects that training again is refused because of `what` while `file` holds `bytes`, and that the checkpoints
  /// stay.
  static void expect_refusal(const fs::path& file, const std::string& bytes, const std::string& what) {
    const std::string before = read_whole_file(file, 1 << 20);
    write_bytes(file, bytes);
    const ProgramRun run = train(project(), "killed");
    write_bytes(file, before);
    EXPECT_TRUE(ended(run, 2, {"holds checkpoints of another configuration", what}));
    EXPECT_EQ(checkpoints_of(path("killed")).size(), 2u);
  }

 private:
  static inline std::unique_ptr<TemporaryFolder> shared_folder_;
  static inline std::unique_ptr<TinyProject> shared_project_;
};

TEST_F(ResumeRules, AnotherConfigurationIsRefusedWithTheDifference) {
  EXPECT_TRUE(ended(train(project(), "killed", {}, faster), 2, {"learning_rate: 0.001", "learning_rate: 0.002"}));
  EXPECT_EQ(expect_the_undisturbed_end(project(), "killed"), 4);
}

TEST_F(ResumeRules, OverwriteKeepsCheckpointsThatFit) {
  EXPECT_TRUE(ended(train_with_overwrite(every_step), 0, {"going on after step 4 of"}));
  ASSERT_NO_FATAL_FAILURE(expect_same_run(path("whole"), path("killed")));
}

TEST_F(ResumeRules, OverwriteRemovesCheckpointsOfAnotherConfiguration) {
  ASSERT_EQ(train(project(), "anew", {}, faster).exit_code, 0);
  const ProgramRun run = train_with_overwrite(faster);
  EXPECT_TRUE(ended(run, 0, {"are of another configuration: removed"}));
  EXPECT_EQ(run.errors.find("going on"), std::string::npos) << run.errors;
  ASSERT_NO_FATAL_FAILURE(expect_same_run(path("anew"), path("killed")));
}

TEST_F(ResumeRules, OtherContentOfADataFileIsRefused) {
  const fs::path dev = project().dev();
  expect_refusal(dev,
                 read_whole_file(dev, 1 << 20) +
                     "{\"gold_label\": \"neutral\", \"sentence1\": \"w1 w2\", \"sentence2\": \"w3\"}\n",
                 "content of tasks.dev/1: ");
}

TEST_F(ResumeRules, AnotherWeightIsRefused) {
  const fs::path weights = project().model() / "model.safetensors";
  std::string bytes = read_whole_file(weights, 1 << 20);
  // The file ends with a float; its first byte has the lowest bits of the mantissa.
  char& lowest = bytes[bytes.size() - 4];
  lowest = static_cast<char>(lowest ^ 1);
  expect_refusal(weights, bytes, "content of the initial weights");
}

TEST_F(ResumeRules, AnotherTokenizerOrConfigIsRefused) {
  const auto exchanged = [](std::string text, const std::string& from, const std::string& to) {
    EXPECT_TRUE(says(text, from));
    return text.replace(text.find(from), from.size(), to);
  };
  const fs::path vocabulary = project().model() / "vocab.txt", config = project().model() / "config.json";
  expect_refusal(vocabulary, exchanged(read_whole_file(vocabulary, 1 << 20), "w7\nw8\n", "w8\nw7\n"),
                 "content of the tokenizer");
  expect_refusal(
      config,
      exchanged(read_whole_file(config, 1 << 20), "\"hidden_dropout_prob\": 0.1", "\"hidden_dropout_prob\": 0.2"),
      "content of model.backbone/config.json: ");
}

}  // namespace
}  // namespace gausscse
