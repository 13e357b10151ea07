#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <sstream>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/model/weights/safetensors_bytes.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using namespace testing_support;

const char* const good_line = "{\"gold_label\": \"entailment\", \"sentence1\": \"w1 w2\", \"sentence2\": \"w1\"}\n";

/// A way to spoil a project, and what the message must say.
struct Case {
  std::string name;
  std::function<void(const TinyProject&)> spoil;
  std::vector<std::string> overrides;
  std::vector<std::string> told;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.name;
}

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, EndsWithCodeTwoAndLeavesNothing) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  if (GetParam().spoil) GetParam().spoil(project);
  const ProgramRun run = run_program(train_arguments(project, "", GetParam().overrides));
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  for (const std::string& text : GetParam().told) EXPECT_NE(run.errors.find(text), std::string::npos) << run.errors;
  EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
  EXPECT_FALSE(fs::exists(project.output() / "model"));
}

Case with_train(const std::string& name, const std::string& content, std::vector<std::string> told) {
  return {name, [content](const TinyProject& project) { write_bytes(project.train(), content); }, {}, std::move(told)};
}

Case with_whole_trial(const std::string& name, const std::string& content, std::vector<std::string> told) {
  return {name, [content](const TinyProject& project) { write_bytes(project.trial(), content); }, {}, std::move(told)};
}

Case with_trial(const std::string& name, const std::string& more, std::vector<std::string> told) {
  return with_whole_trial(name,
                          "format: gausscse-trial/2\nmodel: {backbone: {path: model}}\n"
                          "data: {train: [train.jsonl]}\noutput: out\n" +
                              more,
                          std::move(told));
}

Case with_weights(const std::string& name, const std::string& header, std::size_t data, std::vector<std::string> told) {
  return {name,
          [header, data](const TinyProject& project) {
            write_bytes(project.model() / "model.safetensors", safetensors_bytes(header, std::string(data, '\0')));
          },
          {},
          std::move(told)};
}

/// Nine levels of ten: a thousand million values, if it were expanded.
std::string alias_bomb() {
  std::string text = "bomb0: &level0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; ++level) {
    const std::string below = std::string("*level").append(std::to_string(level - 1));
    text.append("bomb").append(std::to_string(level)).append(": &level").append(std::to_string(level)).append(" [");
    for (int i = 0; i < 10; ++i) text.append(i ? ", " : "").append(below);
    text.append("]\n");
  }
  return text;
}

void set_layers(const TinyProject& project, int layers) {
  const std::string before = "\"num_hidden_layers\": 2";
  std::string config = read_whole_file(project.model() / "config.json", 1 << 20);
  config.replace(config.find(before), before.size(),
                 std::string("\"num_hidden_layers\": ").append(std::to_string(layers)));
  write_bytes(project.model() / "config.json", config);
}

INSTANTIATE_TEST_SUITE_P(
    Train, BadInput,
    testing::Values(
        Case{"missing_file", nullptr, {"data.train=[nowhere.jsonl]"}, {"nowhere.jsonl"}},
        Case{"folder_for_a_file", nullptr, {"tasks.dev.files=model"}, {"model"}},
        with_train("empty_corpus", "", {"train.jsonl"}),
        with_train("not_json", std::string(good_line) + "{oops\n", {"train.jsonl:2"}),
        with_train("key_missing", "{\"gold_label\": \"entailment\", \"sentence1\": \"w1\"}\n",
                   {"train.jsonl:1", "sentence2"}),
        with_train("unknown_label",
                   std::string(good_line) +
                       "{\"gold_label\": \"maybe\", \"sentence1\": \"w1\", \"sentence2\": \"w2\"}\n",
                   {"train.jsonl:2", "maybe"}),
        with_train("double_key",
                   "{\"gold_label\": \"entailment\", \"gold_label\": \"neutral\", \"sentence1\": \"a\", "
                   "\"sentence2\": \"b\"}\n",
                   {"train.jsonl:1", "gold_label"}),
        with_train("csv_header", "sent0,sent1,negativ\na,b,c\n", {"train.jsonl"}),
        with_train("csv_open_quote", "sent0,sent1,hard_neg\n\"w1,w2,w3\n", {"train.jsonl"}),
        with_train("invalid_utf8",
                   "{\"gold_label\": \"entailment\", \"sentence1\": \"w1 \xff\", \"sentence2\": \"w2\"}\n",
                   {"train.jsonl:1", "UTF-8"}),
        with_train("empty_sentence", "{\"gold_label\": \"entailment\", \"sentence1\": \"  \", \"sentence2\": \"w2\"}\n",
                   {"train.jsonl:1"}),
        with_train("no_triple", good_line, {"triple"}),
        Case{"dev_without_entailment",
             [](const TinyProject& project) {
               write_bytes(project.dev(),
                           "{\"gold_label\": \"neutral\", \"sentence1\": \"w1\", \"sentence2\": \"w2\"}\n");
             },
             {},
             {"dev.jsonl", "entailment"}},
        with_trial("unknown_key", "objective: {los: ent}\n", {"objective.los\"", "objective.loss"}),
        with_trial("double_key_in_yaml", "output: b\n", {"output"}),
        with_trial("wrong_type", "training: {batch_size: many}\n", {"batch_size", "many"}),
        with_trial("out_of_range", "training: {learning_rate: -1}\n", {"learning_rate", "-1"}),
        with_trial("alias_bomb", alias_bomb(), {"anchor"}),
        with_whole_trial("backbone_missing", "format: gausscse-trial/2\ndata: {train: [train.jsonl]}\noutput: out\n",
                         {"model.backbone: is missing"}),
        with_whole_trial("output_missing",
                         "format: gausscse-trial/2\nmodel: {backbone: {path: model}}\ndata: {train: [train.jsonl]}\n",
                         {"output is missing"}),
        Case{"vocabulary_too_long",
             [](const TinyProject& project) {
               std::string words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
               for (int i = 0; i < 70; ++i) words.append("v").append(std::to_string(i)).append("\n");
               write_bytes(project.model() / "vocab.txt", words);
             },
             {},
             {"75", "60"}},
        Case{"vocabulary_too_short",
             [](const TinyProject& project) {
               write_bytes(project.model() / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nw0\nw1\n");
             },
             {},
             {"7", "60", "vocabulary_size"}},
        Case{"tensor_missing", [](const TinyProject& project) { set_layers(project, 3); }, {}, {"encoder.layer.2."}},
        Case{"tensor_left_over", [](const TinyProject& project) { set_layers(project, 1); }, {}, {"encoder.layer.1."}},
        with_weights("header_with_a_hole", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8,
                     {"model.safetensors", "where the data before it ends at 0"}),
        with_weights("header_with_a_double_key",
                     R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                     R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                     4, {"model.safetensors", "the key \"a\" appears twice in one JSON object"}),
        Case{"weights_cut",
             [](const TinyProject& project) { fs::resize_file(project.model() / "model.safetensors", 1000); },
             {},
             {"model.safetensors"}},
        Case{"weights_not_finite",
             [](const TinyProject& project) {
               const fs::path path = project.model() / "model.safetensors";
               std::string bytes = read_whole_file(path, 1 << 24);
               const float nan = std::numeric_limits<float>::quiet_NaN();
               std::memcpy(&bytes[bytes.size() - sizeof nan], &nan, sizeof nan);
               write_bytes(path, bytes);
             },
             {},
             {"model.safetensors", "has infinite or NaN values (1 of "}},
        Case{"shape_not_of_the_config",
             [](const TinyProject& project) {
               fs::remove(project.model() / "config.json");
               fs::copy(testing_support::golden("weights/tiny-roberta/config.json"), project.model());
             },
             {},
             {"model.safetensors"}},
        Case{"output_not_writable", nullptr, {"output=/proc/gausscse"}, {"/proc/gausscse", "output"}},
        Case{"output_is_a_file", nullptr, {"output=dev.jsonl"}, {"dev.jsonl", "output"}},
        Case{"batch_larger_than_the_data", nullptr, {"training.batch_size=64"}, {"64", "40"}},
        Case{"too_many_tokens", nullptr, {"training.max_tokens=71"}, {"71", "70"}}),
    [](const auto& tested) { return tested.param.name; });

TEST(BadInputOfTheProgram, OnTwoRanksEndsWithCodeTwo) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  write_bytes(project.dev(), "");
  const ProgramRun run = run_program(train_arguments(project), 2);
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  EXPECT_NE(run.errors.find("dev.jsonl"), std::string::npos) << run.errors;
}

TEST(BadInputOfTheProgram, RanksOfDifferentConfigurationsAreRefused) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const ProgramRun run = run_program(
      train_arguments(project), {.ranks = 2, .last_rank_arguments = train_arguments(project, "", {"training.seed=1"})});
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  EXPECT_NE(run.errors.find("the configuration is not the same on all ranks"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("seed: 1"), std::string::npos) << run.errors;
}

TEST(BadInputOfTheProgram, DivergedTrainingNamesStepAndGradient) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const ProgramRun run =
      run_program(train_arguments(project, "", {"training.learning_rate=1e30", "training.warmup_ratio=0"}));
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  EXPECT_NE(run.errors.find("stopped at step"), std::string::npos) << run.errors;
  EXPECT_NE(run.errors.find("largest gradient"), std::string::npos) << run.errors;
  EXPECT_FALSE(fs::exists(project.output() / "result.h5"));
}

TEST(BadInputOfTheProgram, FullDiskLeavesNoResult) {
  int failures = 0;
  for (std::uint64_t largest_file = 512;; largest_file *= 2) {
    const TemporaryFolder folder;
    const TinyProject project(folder.path());
    const ProgramRun run = run_program(train_arguments(project), {.largest_file = largest_file});
    if (run.exit_code == 0) break;
    ++failures;
    EXPECT_EQ(run.exit_code, 2) << largest_file << ": " << run.errors;
    EXPECT_NE(run.errors.find("cannot write"), std::string::npos) << run.errors;
    EXPECT_FALSE(fs::exists(project.output() / "result.h5")) << largest_file;
    for (const auto& entry : fs::recursive_directory_iterator(project.output()))
      EXPECT_EQ(entry.path().string().find(".tmp-"), std::string::npos) << largest_file << ": " << entry.path();
  }
  EXPECT_GE(failures, 3);
}

TEST(BadInputOfTheProgram, LongSentencesAreCutCountedAndTold) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const ProgramRun run = run_program(train_arguments(project, "", {"training.max_tokens=5"}));
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("more than 5 tokens and are cut"), std::string::npos) << run.errors;
}

TEST(BadInputOfTheProgram, BadLinesAreSkippedAndToldIfAskedFor) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  write_bytes(project.dev(), std::string(good_line) + "{oops\n");
  const ProgramRun run = run_program(train_arguments(project, "", {"data.bad_lines=skip"}));
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_NE(run.errors.find("dev.jsonl:2"), std::string::npos) << run.errors;
}

/// Expects exit code 2 and one line that begins so.
void expect_refused(const std::vector<std::string>& arguments, const std::string& line) {
  const ProgramRun run = run_program(arguments);
  EXPECT_EQ(run.exit_code, 2) << run.errors;
  EXPECT_TRUE(run.errors.starts_with("gausscse: error: " + line)) << run.errors;
  EXPECT_EQ(run.errors.find('\n'), run.errors.size() - 1) << run.errors;
  EXPECT_EQ(run.output, "");
}

/// Does the same of one line that has these words.
void expect_refusal_with(const std::vector<std::string>& arguments, const std::string& words) {
  expect_refused(arguments, "");
  const std::string errors = run_program(arguments).errors;
  EXPECT_NE(errors.find(words), std::string::npos) << errors;
}

TEST(CommandLine, MistypedWordsGetASuggestion) {
  expect_refused({"trian", "x.yaml"}, "unknown command \"trian\", did you mean \"train\"?");
  expect_refused({"-q", "encod"}, "unknown command \"encod\", did you mean \"encode\"?");
  expect_refused({"help"}, "unknown command \"help\", did you mean \"gausscse --help\"?");
  expect_refused({"version"}, "unknown command \"version\", did you mean \"gausscse --version\"?");
  expect_refused({"list"}, "unknown command \"list\", did you mean \"gausscse status\"?");
  expect_refused({"frobnicate"}, "unknown command \"frobnicate\"; known are train, generate, eval, ");
  expect_refused({}, "no command is given; known are train, generate, eval, ");
  expect_refused({"--quite", "train", "x.yaml"}, "unknown option \"--quite\", did you mean \"--quiet\"?");
  expect_refused({"train", "x.yaml", "--overwite"}, "unknown option \"--overwite\", did you mean \"--overwrite\"?");
  expect_refused({"train", "x.yaml", "--jsn=a"}, "unknown option \"--jsn\", did you mean \"--json\"?");
  expect_refused({"train", "x.yaml", "--timeot", "5"}, "unknown option \"--timeot\", did you mean \"--timeout\"?");
  expect_refused({"train", "x.yaml", "--ouput=a"},
                 "unknown option \"--ouput\"; output is a key of the trial: give --set ");
  expect_refused({"train", "x.yaml", "y.yaml"}, "unexpected argument \"y.yaml\"");
  expect_refused({"train"}, "TRIAL is required");
  expect_refused({"train", "x.yaml", "--timeout", "0"}, "--timeout: ");
  EXPECT_EQ(run_program({"-V"}).output, run_program({"--version"}).output);
}

constexpr bool has_studies = GAUSSCSE_HAS_STUDIES;

std::vector<std::string> all_commands() {
  std::vector<std::string> commands{"train",    "generate", "eval",    "encode", "score",     "tokenize",
                                    "geometry", "show",     "lengths", "doctor", "completion"};
  if (has_studies)
    for (const char* command : {"run", "status", "tables", "report", "compare", "index"})
      commands.emplace_back(command);
  return commands;
}

/// Each command's help begins with an example of it that its own options understand, and ends with a page that is
/// there.
TEST(CommandLine, HelpBeginsWithAnExampleAndEndsWithAPage) {
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

/// Every command once, in one of four groups, and in one sentence what several ranks share.
TEST(CommandLine, HelpGroupsTheCommands) {
  const std::string help = run_program({"--help"}).output;
  std::vector<std::size_t> groups;
  for (const char* group : {"\nTrain:\n", "\nUse a model:\n", "\nStudy:\n", "\nLook:\n"}) {
    if (!has_studies && std::string(group) == "\nStudy:\n") continue;
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
  EXPECT_EQ(group_of("score"), 2);
  if (has_studies) {
    EXPECT_EQ(group_of("status"), 3);
  }
  EXPECT_EQ(group_of("lengths"), has_studies ? 4 : 3);
  const std::size_t ranks = help.find("nder mpirun");
  EXPECT_NE(ranks, std::string::npos);
  EXPECT_EQ(help.find("nder mpirun", ranks + 1), std::string::npos);
}

/// --json FILE is the same in every command, and the message for a missing file says how to give it.
TEST(CommandLine, JsonTakesAFileInEveryCommand) {
  std::vector<const char*> commands{"train", "eval", "geometry", "lengths", "show"};
  if (has_studies) commands.insert(commands.end(), {"status", "tables", "compare"});
  for (const char* command : commands) {
    const std::string help = run_program({command, "--help"}).output;
    const std::size_t option = help.find("\n  --json FILE");
    ASSERT_NE(option, std::string::npos) << help;
    EXPECT_NE(help.find("-: to standard output, in place of the text", option), std::string::npos) << help;
  }
  expect_refusal_with({"show", "x.h5", "--json"}, "; --json takes a file, where - is standard output");
  if (has_studies)
    expect_refusal_with({"status", "--json", "runs/study"},
                        "RESULTS is required; --json takes a file, where - is standard ");
}

/// What other programs have as options of their command line is a key of the trial here.
TEST(CommandLine, OptionsOfOtherProgramsLeadToTheKey) {
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
    expect_refused({"train", "x.yaml", option, "3"}, concat("unknown option \"", option.substr(0, option.find('=')),
                                                            "\"; ", key, " is a key of the trial"));
    expect_refusal_with({"train", "x.yaml", option, "3"}, concat(": give --set ", key, "=..."));
  }
  expect_refusal_with({"train", "x.yaml", "--fp16"},
                      "training.precision is a key of the trial (bf16 or fp32; there is no ");
  expect_refusal_with({"train", "x.yaml", "--eval_steps", "5"},
                      "; tasks is a section of the trial (eval_every, a key of ");
  if (has_studies)
    expect_refused({"run", "x.yaml", "--results", "r", "--seed", "3"},
                   "unknown option \"--seed\"; training.seed is a key of the trial: set it in the manifest");
  expect_refusal_with({"encode", "m", "i", "--output", "o"},
                      "\"--output\"; it is given without a name: gausscse encode ... OUT");
  expect_refusal_with({"eval", "--model", "m"}, "\"--model\"; it is given without a name: gausscse eval ... MODEL");
  expect_refused({"score", "--lr", "3"}, "unknown option \"--lr\"");
}

/// The same keys as in docs/trial.md, of which a test compares the tables.
TEST(CommandLine, KeysAreListed) {
  const ProgramRun run = run_program({"train", "--keys"});
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  const std::string page = read_whole_file(fs::path(GAUSSCSE_DOCS) / "trial.md", 1 << 20);
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

/// Bash itself is asked what it completes.
TEST(CommandLine, BashCompletesCommandsAndOptions) {
  const TemporaryFolder folder;
  const std::string script = run_program({"completion", "bash"}).output;
  write_bytes(folder / "completion", script);
  const auto completed = [&](const std::string& words) {
    write_bytes(folder / "ask",
                concat("source '", (folder / "completion").string(), "'\nCOMP_WORDS=(", words,
                       ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_gausscse\necho \"${COMPREPLY[*]}\"\n"));
    FILE* pipe = ::popen(concat("bash '", (folder / "ask").string(), "'").c_str(), "r");
    std::string output;
    for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
    EXPECT_EQ(::pclose(pipe), 0);
    return output;
  };
  EXPECT_EQ(completed("gausscse tr"), "train\n");
  EXPECT_EQ(completed("gausscse s"), "score status show\n");
  EXPECT_EQ(completed("gausscse train --o"), "--overwrite\n");
  EXPECT_EQ(completed("gausscse --quiet train --pr"), "--print-config --progress\n");
  EXPECT_EQ(completed("gausscse eval --own"), "--own-dev\n");
  EXPECT_EQ(completed("gausscse eval --t"), "--test --two-way-pairs --tasks --threads --timeout\n");
  EXPECT_EQ(completed("gausscse train ''"), "\n") << "a file is wanted";
  EXPECT_EQ(completed("gausscse --ver"), "--version --verbose\n");
  EXPECT_NE(script.find("\ncomplete -o bashdefault -o default -F _gausscse gausscse\n"), std::string::npos);
  const std::string zsh = run_program({"completion", "zsh"}).output;
  EXPECT_TRUE(zsh.starts_with("#compdef gausscse\n"));
  for (const std::string& command : all_commands())
    EXPECT_NE(zsh.find(concat("\n    '", command, ":")), std::string::npos) << command;
  expect_refused({"completion", "fish"}, "SHELL: ");
}

TEST(CommandLine, PathsThatNoShellExpandedAreRefused) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  expect_refused({"train", "~/x.yaml"}, "\"~/x.yaml\" was not expanded by a shell: write \"");
  expect_refused({"train", project.trial().string(), "--json=$HOME/x.json"},
                 "\"$HOME/x.json\" was not expanded by a shell");
  for (const char* output : {"~/run", "$HOME/run", "${HOME}/run", "~somebody/run"}) {
    const ProgramRun run = run_program(train_arguments(project, output));
    EXPECT_EQ(run.exit_code, 2) << run.errors;
    EXPECT_NE(run.errors.find(concat("output: \"", output, "\" is not expanded by a shell: write ")), std::string::npos)
        << run.errors;
    EXPECT_NE(run.errors.find(concat("or \"./", output, "\" for a name that begins so")), std::string::npos)
        << run.errors;
  }
  for (const auto& entry : fs::directory_iterator(folder.path()))
    EXPECT_EQ(entry.path().filename().string().find_first_of("~$"), std::string::npos) << entry.path();
  EXPECT_EQ(run_program(train_arguments(project, "./~/run")).exit_code, 0);
  EXPECT_TRUE(fs::exists(folder / "~" / "run" / "result.h5"));
}

TEST(CommandLine, UnknownFlagOrCommandIsCodeTwo) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  EXPECT_EQ(run_program({"trian"}).exit_code, 2);
  EXPECT_EQ(run_program({}).exit_code, 2);
  const ProgramRun unknown_flag = run_program({"train", project.trial().string(), "--fast"});
  EXPECT_EQ(unknown_flag.exit_code, 2);
  EXPECT_NE(unknown_flag.errors.find("--fast"), std::string::npos) << unknown_flag.errors;
  EXPECT_FALSE(fs::exists(project.output()));
  EXPECT_EQ(run_program({"train", "/nowhere/x.yaml"}).exit_code, 2);
  EXPECT_EQ(run_program({"--version"}).exit_code, 0);
}

}  // namespace
}  // namespace gausscse
