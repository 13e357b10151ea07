#include <cstdio>

#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// Expects exit code 2 and one line that begins so and has these words.
void expect_refused(const std::vector<std::string>& arguments, const std::string& line, const std::string& words = "") {
  const ProgramRun run = run_expecting(2, arguments);
  EXPECT_TRUE(run.errors.starts_with("gausscse: error: " + line)) << run.errors;
  EXPECT_EQ(run.errors.find('\n'), run.errors.size() - 1) << run.errors;
  EXPECT_TRUE(says(run.errors, words));
  EXPECT_EQ(run.output, "");
}

using CommandLine = TinyProjectTest;

TEST_F(CommandLine, MistypedWordsGetASuggestion) {
  expect_refused({"trian", "x.yaml"}, "unknown command \"trian\", did you mean \"train\"?");
  expect_refused({"-q", "encod"}, "unknown command \"encod\", did you mean \"encode\"?");
  expect_refused({"help"}, "unknown command \"help\", did you mean \"gausscse --help\"?");
  expect_refused({"version"}, "unknown command \"version\", did you mean \"gausscse --version\"?");
  expect_refused({"list"}, "unknown command \"list\", did you mean \"gausscse status\"?");
  expect_refused({"frobnicate"}, "unknown command \"frobnicate\"; known are train, init, generate, eval, ");
  expect_refused({}, "no command is given; known are train, init, generate, eval, ");
  expect_refused({"--quite", "train", "x.yaml"}, "unknown option \"--quite\", did you mean \"--quiet\"?");
  expect_refused({"train", "x.yaml", "--overwite"}, "unknown option \"--overwite\", did you mean \"--overwrite\"?");
  expect_refused({"train", "x.yaml", "--jsn=a"}, "unknown option \"--jsn\", did you mean \"--json\"?");
  expect_refused({"train", "x.yaml", "--timeot", "5"}, "unknown option \"--timeot\", did you mean \"--timeout\"?");
  expect_refused({"train", "x.yaml", "--ouput=a"},
                 "unknown option \"--ouput\"; output is a key of the trial: give --set ");
  expect_refused({"train", "x.yaml", "--fast"}, "", "--fast");
  expect_refused({"train", "/nowhere/x.yaml"}, "", "/nowhere/x.yaml");
  expect_refused({"train", "x.yaml", "y.yaml"}, "unexpected argument \"y.yaml\"");
  expect_refused({"train"}, "TRIAL is required");
  expect_refused({"train", "x.yaml", "--timeout", "0"}, "--timeout: ");
  for (const char* no_number : {"nan", "-nan", "NaN", "inf", "-inf"}) {
    expect_refused({"train", "x.yaml", concat("--timeout=", no_number)}, "--timeout: ");
    expect_refused({"score", "m", "p.tsv", concat("--tolerance=", no_number)}, "--tolerance: ");
    if (!GAUSSCSE_HAS_STUDIES) continue;
    expect_refused({"run", "m.yaml", "--results", "r", concat("--lease=", no_number)}, "--lease: ");
    expect_refused({"run", "m.yaml", "--results", "r", concat("--silence=", no_number)}, "--silence: ");
  }
  EXPECT_EQ(run_program({"-V"}).output, run_expecting(0, {"--version"}).output);
}

constexpr bool has_studies = GAUSSCSE_HAS_STUDIES;

/// --json FILE is the same in every command, and the message for a missing file says how to give it.
TEST_F(CommandLine, JsonTakesAFileInEveryCommand) {
  std::vector<const char*> commands{"train", "eval",  "geometry", "lengths", "search",
                                    "show",  "score", "tokenize", "doctor"};
  if (has_studies) commands.insert(commands.end(), {"status", "tables", "compare", "index", "run"});
  for (const char* command : commands) {
    const std::string help = run_program({command, "--help"}).output;
    const std::size_t option = help.find("\n  --json FILE");
    ASSERT_NE(option, std::string::npos) << help;
    EXPECT_NE(help.find("-: to standard output, in place of the text", option), std::string::npos) << help;
    EXPECT_NE(help.find("\n  --overwrite "), std::string::npos) << help;
  }
  expect_refused({"show", "x.h5", "--json"}, "", "; --json takes a file, where - is standard output");
  if (has_studies)
    expect_refused({"status", "--json", "runs/study"}, "",
                   "RESULTS is required; --json takes a file, where - is standard ");
}

/// An option of other programs is a key of the trial here.
TEST_F(CommandLine, OptionsOfOtherProgramsLeadToTheKey) {
  for (const auto& [option, key] :
       std::vector<std::pair<std::string, std::string>>{{"--lr", "training.learning_rate"},
                                                        {"--learning-rate", "training.learning_rate"},
                                                        {"--learning_rate=3e-5", "training.learning_rate"},
                                                        {"--seed", "training.seed"},
                                                        {"--output", "output"},
                                                        {"--output_dir", "output"},
                                                        {"--ouput", "output"},
                                                        {"--epochs", "training.epochs"},
                                                        {"--num-train-epochs", "training.epochs"},
                                                        {"--batch-size", "training.batch_size"},
                                                        {"--per_device_train_batch_size", "training.batch_size"},
                                                        {"--model", "model.backbone.path"},
                                                        {"--model_name_or_path", "model.backbone.path"},
                                                        {"--training.max_steps", "training.max_steps"},
                                                        {"--temperature", "objective.temperature"},
                                                        {"--train_file", "data.train"}}) {
    expect_refused(
        {"train", "x.yaml", option, "3"},
        concat("unknown option \"", option.substr(0, option.find('=')), "\"; ", key, " is a key of the trial"),
        concat(": give --set ", key, "=..."));
  }
  expect_refused({"train", "x.yaml", "--fp16"}, "",
                 "training.precision is a key of the trial (bf16 or fp32; there is no ");
  expect_refused({"train", "x.yaml", "--eval_steps", "5"}, "",
                 "; tasks is a section of the trial (eval_every, a key of ");
  if (has_studies)
    expect_refused({"run", "x.yaml", "--results", "r", "--seed", "3"},
                   "unknown option \"--seed\"; training.seed is a key of the trial: set it in the manifest");
  expect_refused({"encode", "m", "i", "--output", "o"}, "",
                 "\"--output\"; it is given without a name: gausscse encode ... OUT");
  expect_refused({"eval", "--model", "m"}, "", "\"--model\"; it is given without a name: gausscse eval ... MODEL");
  expect_refused({"score", "--lr", "3"}, "unknown option \"--lr\"");
}

/// The same keys as in docs/trial_keys.md, of which a test compares the tables.
TEST_F(CommandLine, KeysAreListed) {
  const ProgramRun run = run_expecting(0, {"train", "--keys"});
  const std::string page = read_whole_file(fs::path(GAUSSCSE_DOCS) / "trial_keys.md", 1 << 20);
  std::istringstream lines(page.substr(page.find("| key | allowed | default | meaning |")));
  std::size_t keys = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    std::vector<std::string> cells;
    for (std::size_t at = 2, end = 0; (end = line.find(" | ", at)) != std::string::npos || cells.size() < 4;
         at = end + 3) {
      cells.push_back(line.substr(at, std::min(end, line.size() - 2) - at));
      if (end == std::string::npos) break;
    }
    ASSERT_EQ(cells.size(), 4u) << line;
    for (std::string& cell : cells) cell.erase(std::remove(cell.begin(), cell.end(), '`'), cell.end());
    EXPECT_NE(run.output.find(cells[0] + "\n    " + cells[1] + "; default: " + cells[2] + "\n    " + cells[3] + "\n"),
              std::string::npos)
        << line;
    ++keys;
  }
  EXPECT_GT(keys, 80u);
  expect_refused({"train"}, "TRIAL is required");
}

TEST_F(CommandLine, PathsThatNoShellExpandedAreRefused) {
  expect_refused({"train", "~/x.yaml"}, "\"~/x.yaml\" was not expanded by a shell: write \"");
  expect_refused({"train", project_.trial().string(), "--json=$HOME/x.json"},
                 "\"$HOME/x.json\" was not expanded by a shell");
  for (const char* output : {"~/run", "$HOME/run", "${HOME}/run", "~somebody/run"}) {
    run_expecting(2, train_arguments(project_, output),
                  {concat("output: \"", output, "\" is not expanded by a shell: write "),
                   concat("or \"./", output, "\" for a name that begins so")});
  }
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().filename().string().find_first_of("~$"), std::string::npos) << entry.path();
  run_expecting(0, train_arguments(project_, "./~/run"));
  EXPECT_TRUE(fs::exists(folder_ / "~" / "run" / "result.h5"));
}

}  // namespace
}  // namespace gausscse
