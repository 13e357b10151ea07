#include "results/embeddings_file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

// Common behaviour of the commands on model folders.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using CommandsOnModels = TinyProjectTest;

/// Returns the values of a file of embeddings, whose attributes also name the model's path and the options.
std::string values_of_embeddings(const fs::path& file) {
  const EmbeddingsReader reader(file);
  const std::vector<float> rows = reader.read(0, reader.rows());
  return {reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof rows.front()};
}

/// Each command prints the same of a run's folder as of its folder `model`.
TEST_F(CommandsOnModels, TakeARunsFolderForItsModel) {
  const std::string run = path("run"), model = path("run/model");
  fs::create_directory(run);
  save_tiny_model(project_, model, {});
  write_bytes(folder_ / "run/result.h5", "not read");
  const std::string lines = path("in.txt"), pairs = path("pairs.tsv");
  write_bytes(lines, lines_of(tiny_sentences(60, 1)));
  write_bytes(pairs, "w1 w2\tw2\nw3\tw4 w5\n");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"score", "MODEL", pairs},
                                                  {"eval", "MODEL", "--test", "t=" + project_.test().string()},
                                                  {"geometry", "MODEL", lines},
                                                  {"tokenize", "MODEL", lines},
                                                  {"show", "MODEL", "--json", "-"},
                                                  {"search", "MODEL", lines, pairs},
                                                  {"encode", "MODEL", lines, path("OUT.h5"), "--overwrite"}}) {
    std::vector<std::string> answers;
    for (const std::string& path : {model, run}) {
      std::vector<std::string> arguments = command;
      arguments[1] = path;
      const ProgramRun answer = run_expecting(0, arguments);
      answers.push_back(command[0] == "encode" ? values_of_embeddings(folder_ / "OUT.h5") : answer.output);
    }
    EXPECT_FALSE(answers[0].empty()) << command[0];
    EXPECT_EQ(answers[0], answers[1]) << command[0];
  }
}

/// Other programs compute other vectors by a changed file: each command names it.
TEST_F(CommandsOnModels, NameAFileThatWasChangedSinceItWasSaved) {
  const std::string model = path("saved"), lines = path("in.txt");
  save_tiny_model(project_, model, {});
  write_bytes(lines, lines_of(tiny_sentences(60, 1)));
  write_bytes(folder_ / "pairs.tsv", "w1 w2\tw2\nw3\tw4 w5\n");
  for (const char* name : {"modules.json", "1_Pooling/config.json", "2_Mean/config.json"}) {
    const std::string bytes = read_whole_file(folder_ / "saved" / name, 1 << 20);
    write_bytes(folder_ / "saved" / name, bytes + "\n");
    for (const std::vector<std::string>& command : {std::vector<std::string>{"score", model, path("pairs.tsv")},
                                                    {"eval", model, "--test", "t=" + project_.test().string()},
                                                    {"geometry", model, lines},
                                                    {"tokenize", model, lines},
                                                    {"show", model},
                                                    {"search", model, lines, lines},
                                                    {"similarity", model, lines, lines, path("out.h5")},
                                                    {"encode", model, lines, path("out.h5")}}) {
      const ProgramRun run = run_program(command);
      EXPECT_EQ(run.exit_code, 2) << command[0];
      EXPECT_TRUE(
          says(run.errors, (folder_ / "saved" / name).string() + ": is not the file that was saved: its XXH3-128 is "))
          << command[0];
    }
    write_bytes(folder_ / "saved" / name, bytes);
  }
}

/// The log goes to standard error, where ids are not.
TEST_F(CommandsOnModels, ReportWhatIsNotAppliedOfAFolder) {
  write_bytes(project_.model() / "sentence_bert_config.json", R"({"max_seq_length": 4})");
  write_bytes(project_.model() / "tokenizer_config.json", R"({"padding_side": "left"})");
  const std::string lines = path("in.txt");
  write_bytes(lines, lines_of(tiny_sentences(60, 1)));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"tokenize"}, {"geometry"}, {"encode", "--pooling", "mean"}}) {
    std::vector<std::string> arguments{command[0], project_.model().string(), lines};
    if (command[0] == "encode") arguments.push_back(path("out.h5"));
    if (command[0] == "tokenize") arguments.insert(arguments.end(), {"--max-tokens", "9"});
    arguments.insert(arguments.end(), command.begin() + 1, command.end());
    run_expecting(
        0, arguments,
        {"sentence_bert_config.json: max_seq_length is 4, where", "padding_side is \"left\", which is not applied"});
  }
}

/// [CLS], two words and [SEP].
TEST_F(CommandsOnModels, CutSentencesToTheTokensThatAreAskedFor) {
  write_bytes(project_.model() / "sentence_bert_config.json", R"({"max_seq_length": 4})");
  write_bytes(folder_ / "long.txt", "w1 w2 w3 w4\nw5\n");
  write_bytes(folder_ / "short.txt", "w1 w2\nw5\n");
  const auto encode = [&](const std::string& input, const std::vector<std::string>& options) {
    return run_program(with({"encode", project_.model().string(), (folder_ / input).string(), path("out.h5"),
                             "--overwrite", "--pooling", "mean"},
                            options));
  };
  const auto written = [&] { return values_of_embeddings(path("out.h5")); };
  ASSERT_EQ(encode("short.txt", {}).exit_code, 0);
  const std::string of_short = written();
  const ProgramRun whole = encode("long.txt", {});
  EXPECT_NE(written(), of_short);
  EXPECT_TRUE(says(whole.errors, "; --max-tokens cuts them there as well"));
  const ProgramRun cut = encode("long.txt", {"--max-tokens", "4"});
  EXPECT_EQ(written(), of_short);
  EXPECT_FALSE(says(cut.errors, "max_seq_length")) << cut.errors;
  EXPECT_TRUE(ended(encode("long.txt", {"--max-tokens", "71"}), 2, {"has positions for 70 tokens: give at most that"}));
}

TEST_F(CommandsOnModels, AFolderWithoutAModelIsRefusedAsSuch) {
  const TemporaryFolder folder;
  write_bytes(folder / "in.txt", "a\n");
  const std::string empty = folder.path().string();
  for (const std::vector<std::string>& pooling : {std::vector<std::string>{}, {"--pooling", "mean"}}) {
    std::vector<std::string> arguments{"encode", empty, (folder / "in.txt").string(), (folder / "out.h5").string()};
    arguments.insert(arguments.end(), pooling.begin(), pooling.end());
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_TRUE(says(run.errors, empty + ": there is no model in this folder, as it has no config.json"));
  }
}

}  // namespace
}  // namespace gausscse
