#include <cstdio>

#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using CommandHelp = TinyProjectTest;

constexpr bool with_studies = GAUSSCSE_HAS_STUDIES;

std::vector<std::string> all_commands() {
  std::vector<std::string> commands{"train",      "init",     "generate",   "eval",  "encode",  "export",
                                    "score",      "tokenize", "geometry",   "show",  "lengths", "doctor",
                                    "completion", "search",   "similarity", "split", "apply"};
  if (with_studies)
    for (const char* command : {"run", "status", "tables", "report", "compare", "index"})
      commands.emplace_back(command);
  return commands;
}

/// Each command's help begins with an example of it that its own options understand, and ends with a page that is
/// there.
TEST_F(CommandHelp, HelpBeginsWithAnExampleAndEndsWithAPage) {
  for (const std::string& command : all_commands()) {
    const std::string help = run_program({command, "--help"}).output;
    const std::size_t example = help.find("\nExample: "), usage = help.find("\nUsage: ");
    const std::size_t page = help.find("\nMore: docs/");
    ASSERT_NE(example, std::string::npos) << help;
    ASSERT_LT(example, usage) << help;
    ASSERT_NE(page, std::string::npos) << help;
    std::istringstream words(help.substr(example, usage - example));
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    while (!arguments.empty() && arguments.front() != "gausscse") arguments.erase(arguments.begin());
    ASSERT_GE(arguments.size(), 2u) << help;
    EXPECT_EQ(arguments[1], command);
    for (std::size_t i = 2; i < arguments.size(); ++i)
      if (arguments[i].starts_with("--")) {
        EXPECT_NE(help.find("\n  " + arguments[i] + " "), std::string::npos) << arguments[i] << " in:\n" << help;
      }
    const std::string name = help.substr(page + 12, help.find(".md", page) - page - 12);
    EXPECT_TRUE(fs::exists(fs::path(GAUSSCSE_DOCS) / (name + ".md"))) << help;
  }
}

/// Every command once, in one of four groups, and in one sentence the work that several ranks share.
TEST_F(CommandHelp, HelpGroupsTheCommands) {
  const std::string help = run_program({"--help"}).output;
  std::vector<std::size_t> groups;
  for (const char* group : {"\nTrain:\n", "\nUse a model:\n", "\nStudy:\n", "\nLook:\n"}) {
    if (!with_studies && std::string(group) == "\nStudy:\n") continue;
    groups.push_back(help.find(group));
    ASSERT_NE(groups.back(), std::string::npos) << help;
  }
  EXPECT_TRUE(std::is_sorted(groups.begin(), groups.end()));
  EXPECT_EQ(help.find("Subcommands:"), std::string::npos);
  const auto group_of = [&](const std::string& command) {
    const std::size_t place = help.find("\n  " + command + " ");
    EXPECT_NE(place, std::string::npos) << command;
    EXPECT_EQ(help.find("\n  " + command + " ", place + 1), std::string::npos) << command;
    return std::upper_bound(groups.begin(), groups.end(), place) - groups.begin();
  };
  for (const std::string& command : all_commands()) EXPECT_GE(group_of(command), 1) << command;
  EXPECT_EQ(group_of("train"), 1);
  for (const char* command : {"score", "search", "similarity"}) EXPECT_EQ(group_of(command), 2) << command;
  if (with_studies) {
    EXPECT_EQ(group_of("status"), 3);
  }
  EXPECT_EQ(group_of("lengths"), with_studies ? 4 : 3);
  const std::size_t ranks = help.find("nder mpirun");
  EXPECT_NE(ranks, std::string::npos);
  EXPECT_EQ(help.find("nder mpirun", ranks + 1), std::string::npos);
}

/// Returns bash's completions by `script` behind each of these beginnings of a line, in one line each.
std::vector<std::string> completed_by_bash(const fs::path& folder, const std::string& script,
                                           const std::vector<std::string>& lines) {
  write_bytes(folder / "completion", script);
  std::string asks = concat("source '", (folder / "completion").string(), "'\n");
  for (const std::string& words : lines)
    asks += concat("COMP_WORDS=(", words,
                   ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_gausscse\necho \"${COMPREPLY[*]}\"\n");
  write_bytes(folder / "ask", asks);
  FILE* pipe = ::popen(concat("bash '", (folder / "ask").string(), "'").c_str(), "r");
  std::string output;
  for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
  EXPECT_EQ(::pclose(pipe), 0);
  std::vector<std::string> answers;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) answers.push_back(line);
  EXPECT_EQ(answers.size(), lines.size());
  answers.resize(lines.size());
  return answers;
}

void expect_completed(const fs::path& folder, const std::string& script,
                      const std::vector<std::pair<std::string, std::string>>& expected) {
  std::vector<std::string> lines;
  for (const auto& [words, completed] : expected) lines.push_back("gausscse " + words);
  const std::vector<std::string> answers = completed_by_bash(folder, script, lines);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(answers[i], expected[i].second) << lines[i];
}

/// Bash itself is asked for its completions.
TEST_F(CommandHelp, BashCompletesCommandsAndOptions) {
  const std::string script = run_program({"completion", "bash"}).output;
  expect_completed(folder_.path(), script,
                   {{"tr", "train"},
                    {"s", "score search similarity split status show"},
                    {"train --o", "--overwrite"},
                    {"--quiet train --pr", "--print-config --progress"},
                    {"eval --own", "--own-dev"},
                    {"eval --t", "--test --two-way-pairs --tasks --threads --timeout"},
                    {"train ''", ""},  // a file is wanted
                    {"--ver", "--version --verbose"}});
  EXPECT_TRUE(says(script, "\ncomplete -o bashdefault -o default -F _gausscse gausscse\n"));
  const std::string zsh = run_program({"completion", "zsh"}).output;
  EXPECT_TRUE(zsh.starts_with("#compdef gausscse\n"));
  for (const std::string& command : all_commands())
    EXPECT_NE(zsh.find(concat("\n    '", command, ":")), std::string::npos) << command;
  run_expecting(2, {"completion", "csh"}, {"gausscse: error: FORM: "});
}

/// Both scripts know the values of an option wherever it stands: behind a blank, behind an equals sign, which bash
/// makes a word of its own, and behind other options.
TEST_F(CommandHelp, ShellsCompleteValuesAndKeys) {
  const std::string bash = run_program({"completion", "bash"}).output;
  const std::string as = "sentence-transformers sentence-transformers-gaussian mean-only onnx features";
  expect_completed(folder_.path(), bash,
                   {{"search m c q --direction ''", "entails entailed-by both"},
                    {"search m c q --direction = en", "entails entailed-by"},
                    {"search m c q --direction =", "entails entailed-by both"},
                    {"search --json a --direction b", "both"},
                    {"export m o --direction ''", "entails entailed-by"},
                    {"export m o --as ''", as},
                    {"export m o --side ''", "stored query"},
                    {"score m p --probability --calibrator ''", "platt logistic isotonic"},
                    {"eval --precision i", "int8"},
                    {"completion ''", "bash zsh fish man"},
                    {"completion bash ''", ""},
                    {"train x.yaml --set training.precision = ''", ""},
                    {"train x.yaml --set training.batch", "training.batch_size="},
                    {"train --set out", "output="},
                    {"encode --device --", ""},
                    {"train x.yaml --json ''", ""}});
  const std::string zsh = run_program({"completion", "zsh"}).output;
  EXPECT_TRUE(says(zsh, "\n    search/--direction) values=(entails entailed-by both) ;;\n"));
  EXPECT_TRUE(says(zsh, concat("\n    export/--as) values=(", as, ") ;;\n")));
  if (!with_studies) return;
  expect_completed(folder_.path(), bash,
                   {{"tables r --format ''", "text markdown latex csv json"},
                    {"tables r --interval ''", "none t wilson bootstrap"},
                    {"report r --interval ''", "none t wilson bootstrap"}});
}

/// Fish itself is asked where it is installed.
TEST_F(CommandHelp, FishCompletesCommandsOptionsAndValues) {
  if (std::system("command -v fish > /dev/null") != 0) GTEST_SKIP() << "there is no fish";
  write_bytes(folder_ / "completion", run_program({"completion", "fish"}).output);
  const auto completed = [&](const std::string& words) {
    const std::string ask = concat("cd '", folder_.path().string(), "'; source completion; complete -C 'gausscse ",
                                   words, "' | string replace -r '\\t.*' ''; true");
    write_bytes(folder_ / "ask", ask);
    FILE* pipe = ::popen(concat("HOME='", path("home"), "' fish '", path("ask"), "'").c_str(), "r");
    std::string answer;
    for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;) answer += static_cast<char>(c == '\n' ? ' ' : c);
    EXPECT_EQ(::pclose(pipe), 0);
    return answer;
  };
  write_bytes(folder_ / "train-me", "");
  EXPECT_EQ(completed("tr"), "train ");
  EXPECT_EQ(completed("train train-m"), "train-me ") << "a file, as there is a command";
  EXPECT_EQ(completed("--threads 4 tr"), "train ");
  EXPECT_EQ(completed("--quiet train --pri"), "--print-config ");
  EXPECT_EQ(completed("eval --own"), "--own-dev ");
  EXPECT_EQ(completed("--own"), "");
  EXPECT_EQ(completed("search --direction ent"), "entailed-by entails ");
  EXPECT_EQ(completed("score train --probability --calibrator "), "isotonic logistic platt ");
  EXPECT_EQ(completed("completion "), "bash fish man zsh ");
  EXPECT_EQ(completed("completion bash z"), "");
  EXPECT_EQ(completed("train x.yaml --set training.batch"), "training.batch_size= ");
  EXPECT_EQ(completed("train --json train-m"), "train-me ");
}

/// Bash completes each list of values that --help prints, and each key of `train --keys`.
TEST_F(CommandHelp, EveryDocumentedChoiceIsCompleted) {
  const std::string bash = run_program({"completion", "bash"}).output, zsh = run_program({"completion", "zsh"}).output,
                    fish = run_program({"completion", "fish"}).output;
  std::vector<std::pair<std::string, std::string>> expected;
  for (const std::string& command : all_commands()) {
    const std::string help = run_program({command, "--help"}).output;
    for (std::size_t at = help.find(":{"); at != std::string::npos; at = help.find(":{", at + 1)) {
      const std::size_t line = help.rfind("\n  ", at) + 3;
      const std::string option = help.substr(line, help.find(' ', line) - line);
      std::string values = help.substr(at + 2, help.find('}', at) - at - 2);
      std::replace(values.begin(), values.end(), ',', ' ');
      EXPECT_TRUE(says(zsh, concat("    ", command, "/", option.starts_with("--") ? option : command, ") values=(",
                                   values, ") ;;")));
      EXPECT_TRUE(says(fish, option.starts_with("--") ? concat("'__gausscse_is ", command, "' -l ", option.substr(2),
                                                               " -r -f -a '", values, "' -d ")
                                                      : concat("_follows ", command, "' -f -a '", values, "'\n")));
      expected.emplace_back(concat(command, option.starts_with("--") ? " " + option : "", " ''"), values);
    }
  }
  EXPECT_GE(expected.size(), 25u);
  std::string keys;
  std::istringstream lines(run_program({"train", "--keys"}).output);
  for (std::string line; std::getline(lines, line) && !line.empty();)
    if (line[0] != ' ' && line != "tasks" && line != "objective.terms")
      keys += concat(keys.empty() ? "" : " ", line, "=");
  expected.emplace_back("train --set ''", keys);
  expect_completed(folder_.path(), bash, expected);
}

/// Each command is a section with its options, and its examples are understood by it: an option that an example has is
/// one of the command.
TEST_F(CommandHelp, ManualPageHasEachCommandWithExamples) {
  const std::string page = run_program({"completion", "man"}).output;
  EXPECT_TRUE(page.starts_with(".TH GAUSSCSE 1 "));
  for (const char* of_help : {"Usage:", "Positionals:", "[OPTIONS] MODEL", "Print this help message"})
    EXPECT_EQ(page.find(of_help), std::string::npos) << of_help;
  for (const std::string& command : all_commands()) {
    const std::string title = concat("\n.SS \"gausscse ", command, "\"\n");
    const std::size_t begin = page.find(title);
    ASSERT_NE(begin, std::string::npos) << command;
    EXPECT_EQ(page.find(title, begin + 1), std::string::npos) << command;
    std::string section = page.substr(begin + 1, page.find("\n.S", begin + 1) - begin - 1);
    section.erase(std::remove(section.begin(), section.end(), '\\'), section.end());
    const std::string help = run_program({command, "--help"}).output;
    for (std::size_t at = help.find("\n  --"); at != std::string::npos; at = help.find("\n  --", at + 1)) {
      const std::string option = help.substr(at + 3, help.find_first_of(" \n", at + 3) - at - 3);
      EXPECT_TRUE(says(section, concat("\n.B ", option))) << command;
    }
    const std::size_t examples = section.find("\n.nf\n") + 5, end = section.find(".fi\n");
    ASSERT_LT(examples, end) << section;
    std::istringstream lines(section.substr(examples, end - examples));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_TRUE(says(concat(" ", line, " "), concat(" gausscse ", command, " "))) << line;
      std::istringstream words(line.substr(line.find("gausscse ")));
      for (std::string word; words >> word;)
        if (word.starts_with("--")) {
          EXPECT_TRUE(says(section, concat("\n.B ", word))) << line;
        }
    }
  }
}

}  // namespace
}  // namespace gausscse
