#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

// Common behaviour of the commands on model folders.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using namespace testing_support;

/// Each command prints of a run's folder what it prints of its folder `model`.
TEST(CommandsOnModels, TakeARunsFolderForItsModel) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::string run = (folder / "run").string(), model = (folder / "run/model").string();
  fs::create_directory(run);
  testing_support::save_tiny_model(project, model, {});
  write_bytes(folder / "run/result.h5", "not read");
  const std::string lines = (folder / "in.txt").string(), pairs = (folder / "pairs.tsv").string();
  write_bytes(lines, testing_support::lines_of(testing_support::tiny_sentences(60, 1)));
  write_bytes(pairs, "w1 w2\tw2\nw3\tw4 w5\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"score", "MODEL", pairs},
        {"eval", "MODEL", "--test", "t=" + project.test().string()},
        {"geometry", "MODEL", lines},
        {"tokenize", "MODEL", lines},
        {"show", "MODEL", "--json", "-"},
        {"encode", "MODEL", lines, (folder / "OUT.h5").string(), "--overwrite"}}) {
    std::vector<std::string> answers;
    for (const std::string& path : {model, run}) {
      std::vector<std::string> arguments = command;
      arguments[1] = path;
      const testing_support::ProgramRun answer = testing_support::run_program(arguments);
      EXPECT_EQ(answer.exit_code, 0) << answer.errors;
      answers.push_back(command[0] == "encode" ? read_whole_file(folder / "OUT.h5", 1 << 24) : answer.output);
    }
    EXPECT_FALSE(answers[0].empty()) << command[0];
    EXPECT_EQ(answers[0], answers[1]) << command[0];
  }
}

/// Other programs compute other vectors by a changed file: each command names it.
TEST(CommandsOnModels, NameAFileThatWasChangedSinceItWasSaved) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::string model = (folder / "saved").string(), lines = (folder / "in.txt").string();
  testing_support::save_tiny_model(project, model, {});
  write_bytes(lines, testing_support::lines_of(testing_support::tiny_sentences(60, 1)));
  write_bytes(folder / "pairs.tsv", "w1 w2\tw2\nw3\tw4 w5\n");
  for (const char* name : {"modules.json", "1_Pooling/config.json", "2_Mean/config.json"}) {
    const std::string bytes = read_whole_file(folder / "saved" / name, 1 << 20);
    write_bytes(folder / "saved" / name, bytes + "\n");
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"score", model, (folder / "pairs.tsv").string()},
          {"eval", model, "--test", "t=" + project.test().string()},
          {"geometry", model, lines},
          {"tokenize", model, lines},
          {"show", model},
          {"encode", model, lines, (folder / "out.h5").string()}}) {
      const testing_support::ProgramRun run = testing_support::run_program(command);
      EXPECT_EQ(run.exit_code, 2) << command[0];
      EXPECT_TRUE(testing_support::says(
          run.errors, (folder / "saved" / name).string() + ": is not the file that was saved: its XXH3-128 is "))
          << command[0];
    }
    write_bytes(folder / "saved" / name, bytes);
  }
}

/// The log goes to standard error, where ids are not.
TEST(CommandsOnModels, TellWhatIsNotAppliedOfAFolder) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  write_bytes(project.model() / "sentence_bert_config.json", R"({"max_seq_length": 4})");
  write_bytes(project.model() / "tokenizer_config.json", R"({"padding_side": "left"})");
  const std::string lines = (folder / "in.txt").string();
  write_bytes(lines, testing_support::lines_of(testing_support::tiny_sentences(60, 1)));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"tokenize"}, {"geometry"}, {"encode", "--pooling", "mean"}}) {
    std::vector<std::string> arguments{command[0], project.model().string(), lines};
    if (command[0] == "encode") arguments.push_back((folder / "out.h5").string());
    if (command[0] == "tokenize") arguments.insert(arguments.end(), {"--max-tokens", "9"});
    arguments.insert(arguments.end(), command.begin() + 1, command.end());
    const testing_support::ProgramRun run = testing_support::run_program(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_TRUE(testing_support::says(run.errors, "sentence_bert_config.json: max_seq_length is 4, where"))
        << command[0];
    EXPECT_TRUE(testing_support::says(run.errors, "padding_side is \"left\", which is not applied")) << command[0];
  }
}

/// [CLS], two words and [SEP].
TEST(CommandsOnModels, CutSentencesToTheTokensThatAreAskedFor) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  write_bytes(project.model() / "sentence_bert_config.json", R"({"max_seq_length": 4})");
  write_bytes(folder / "long.txt", "w1 w2 w3 w4\nw5\n");
  write_bytes(folder / "short.txt", "w1 w2\nw5\n");
  const auto encode = [&](const std::string& input, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"encode",
                                       project.model().string(),
                                       (folder / input).string(),
                                       (folder / "out.h5").string(),
                                       "--overwrite",
                                       "--pooling",
                                       "mean"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return testing_support::run_program(arguments);
  };
  const auto written = [&] { return read_whole_file(folder / "out.h5", 1 << 20); };
  ASSERT_EQ(encode("short.txt", {}).exit_code, 0);
  const std::string of_short = written();
  const testing_support::ProgramRun whole = encode("long.txt", {});
  EXPECT_NE(written(), of_short);
  EXPECT_TRUE(testing_support::says(whole.errors, "; --max-tokens cuts them there as well"));
  const testing_support::ProgramRun cut = encode("long.txt", {"--max-tokens", "4"});
  EXPECT_EQ(written(), of_short);
  EXPECT_FALSE(testing_support::says(cut.errors, "max_seq_length")) << cut.errors;
  const testing_support::ProgramRun too_many = encode("long.txt", {"--max-tokens", "71"});
  EXPECT_EQ(too_many.exit_code, 2);
  EXPECT_TRUE(testing_support::says(too_many.errors, "has positions for 70 tokens: give at most that"));
}

TEST(CommandsOnModels, AFolderWithoutAModelIsRefusedAsSuch) {
  const testing_support::TemporaryFolder folder;
  write_bytes(folder / "in.txt", "a\n");
  const std::string empty = folder.path().string();
  for (const std::vector<std::string>& pooling : {std::vector<std::string>{}, {"--pooling", "mean"}}) {
    std::vector<std::string> arguments{"encode", empty, (folder / "in.txt").string(), (folder / "out.h5").string()};
    arguments.insert(arguments.end(), pooling.begin(), pooling.end());
    const testing_support::ProgramRun run = testing_support::run_program(arguments);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_TRUE(
        testing_support::says(run.errors, empty + ": there is no model in this folder, as it has no config.json"));
  }
}

}  // namespace
}  // namespace gausscse
