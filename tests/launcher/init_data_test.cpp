#include <nlohmann/json.hpp>

#include "config/trial/trial.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// A project whose data `init` and `lengths` are given under other names.
class NamesOfData : public TinyProjectTest {
 protected:
  ProgramRun init(const std::string& trial, const std::vector<std::string>& arguments) const {
    return run_program(with({"init", path(trial), "--backbone", project_.model().string()}, arguments));
  }
  /// Copies a file of the project.
  std::string copy(const fs::path& of_project, const std::string& name) const {
    fs::create_directories((folder_ / name).parent_path());
    fs::copy_file(of_project, folder_ / name);
    return path(name);
  }
};

constexpr const char* second_is_missing =
    "\"train-00001-of-00002.parquet\" is missing, by the name of \"train-00000-of-00002.parquet\"";

/// An interrupted download leaves files whose names count others.
TEST_F(NamesOfData, AFolderWithoutAllOfItsShardsIsRefused) {
  for (const std::string folder : {"hub", "hub/data"}) {
    copy(project_.train(), folder + "/train-00000-of-00002.parquet");
    const std::string refusal = concat("hub\" is a folder whose files are not all there: ", second_is_missing,
                                       ": get it, or name the files in it");
    EXPECT_TRUE(
        ended(init("new.yaml", {"--train", path("hub")}), 2,
              {concat("--train ", path("hub"), " is a folder whose files are not all there: "), second_is_missing}));
    EXPECT_TRUE(ended(init("new.yaml", {"--train", path("hub"), "--skip-bad-lines"}), 2, {second_is_missing}));
    EXPECT_FALSE(fs::exists(path("new.yaml")));
    run_expecting(2, train_arguments(project_, "", {"data.train=" + path("hub"), "data.bad_lines=skip"}), {refusal});
    fs::remove_all(path("hub"));
  }
  // Files of one folder may be two whole sets.
  copy(project_.train(), "hub/train-00000-of-00001.parquet");
  copy(project_.dev(), "hub/train_more-00000-of-00001.parquet");
  EXPECT_TRUE(ended(init("new.yaml", {"--train", path("hub")}), 0));
}

TEST_F(NamesOfData, AFileThatIsNamedIsReadWithAWarningOfTheOthers) {
  const std::string train = copy(project_.train(), "train-00000-of-00002.jsonl"),
                    dev = copy(project_.dev(), "dev-1-of-2.jsonl"), test = copy(project_.test(), "test-0-of-3.jsonl");
  const std::string of_train =
                        "\"train-00001-of-00002.jsonl\" is missing, by the name of \"train-00000-of-00002.jsonl\"",
                    of_dev = "\"dev-0-of-2.jsonl\" is missing, by the name of \"dev-1-of-2.jsonl\"",
                    of_test = "\"test-1-of-3.jsonl\" and 1 more are missing, by the name of \"test-0-of-3.jsonl\"";
  EXPECT_TRUE(
      ended(init("new.yaml", {"--train", train, "--dev", dev, "--test", test}), 0, {of_train, of_dev, of_test}));
  EXPECT_EQ(read_trial(path("new.yaml")).tasks.at(1).name, "test");
  run_expecting(0,
                {"train", path("new.yaml"), "--threads", "1", "--set", "training.max_steps=1", "--set",
                 concat("data.cache=", path("cache"))},
                {concat("data.train: ", of_train), concat("dev: ", of_dev), concat("test: ", of_test)});
  run_expecting(0, {"eval", path("runs/new"), "--threads", "1", "--dev", dev, "--test", test},
                {concat("dev: ", of_dev), concat("test: ", of_test)});
  run_expecting(0, {"lengths", test}, {of_test});
}

/// `lengths` leaves bad lines out and counts them, as other commands do, and without the flag names it.
TEST_F(NamesOfData, LengthsSkipsBadLines) {
  const std::string file = path("bad.jsonl");
  write_bytes(file, concat(R"({"gold_label": "entailment", "sentence1": "long premise", "sentence2": "short"})", "\n",
                           R"({"gold_label": "folgt", "sentence1": "a b", "sentence2": "c"})", "\n",
                           R"({"gold_label": "neutral", "sentence1": "a b", "sentence2": "c"})", "\n"));
  run_expecting(2, {"lengths", file}, {"bad.jsonl:2:", "\"folgt\"", "--skip-bad-lines"});
  run_expecting(0, {"lengths", file, "--skip-bad-lines", "--json", path("lengths.json")}, {"bad.jsonl", "\"folgt\""});
  const auto set = nlohmann::json::parse(read_whole_file(path("lengths.json"), 1 << 20))["sets"][0];
  EXPECT_EQ(set["pairs"], 2);
  EXPECT_EQ(set["longer"], 1);
  // Nothing of one file counts for the next one.
  const ProgramRun both = run_expecting(0, {"lengths", file, project_.test().string(), "--skip-bad-lines"});
  EXPECT_EQ(both.errors.find("folgt"), both.errors.rfind("folgt")) << both.errors;
}

TEST_F(NamesOfData, SetsHaveTheNamesOfTheirFiles) {
  const std::string dev = copy(project_.test(), "one/dev.jsonl"), test = copy(project_.test(), "two/test.jsonl"),
                    again = copy(project_.test(), "three/test.jsonl"),
                    shard = copy(project_.test(), "hub/validation-00000-of-00001-0a1b.parquet"),
                    odd = copy(project_.test(), "own.jsonl"), equals = copy(project_.test(), "a=b.v2.jsonl"),
                    long_name = copy(project_.test(), std::string(45, 'n') + ".jsonl");
  ASSERT_TRUE(ended(init("new.yaml", {"--train", project_.train().string(),
                                      "--dev",   project_.dev().string(),
                                      "--test",  dev,
                                      "--test",  test,
                                      "--test",  again,
                                      "--test",  shard,
                                      "--test",  odd,
                                      "--test",  concat("named=", test),
                                      "--test",  equals,
                                      "--test",  long_name}),
                    0));
  std::vector<std::string> names, files;
  for (const TaskSettings& task : read_trial(path("new.yaml")).tasks) {
    names.push_back(task.name);
    files.push_back(files_of(task).front().string());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"dev", "dev_2", "test", "test_2", "validation", "test_own", "named",
                                             "a_b_v2", std::string(40, 'n')}));
  EXPECT_EQ(files,
            (std::vector<std::string>{project_.dev().string(), dev, test, again, shard, odd, test, equals, long_name}));
}

/// Sets that a folder of the hub has next to its training files, unless others are given. JSON lines are read by any
/// name.
TEST_F(NamesOfData, SetsOfAFolderAreMeasured) {
  const fs::path folder = folder_ / "hub";
  copy(project_.train(), "hub/data/train-00000-of-00001.parquet");
  const std::string validation = copy(project_.dev(), "hub/data/validation-00000-of-00001.parquet"),
                    other = copy(project_.dev(), "hub/data/validation_other.parquet"),
                    test = copy(project_.test(), "hub/data/test-00000-of-00001.parquet"),
                    own = copy(project_.test(), "own_set.jsonl");
  write_bytes(folder / "data/test_hidden.parquet", R"({"premise": "w1", "hypothesis": "w2", "label": -1})"
                                                   "\n");
  copy(project_.test(), "hub/data/test_parts-00000-of-00002.parquet");
  const auto sets = [&](const std::vector<std::string>& arguments, const std::vector<std::string>& log) {
    EXPECT_TRUE(ended(init("new.yaml", with(arguments, {"--train", folder.string(), "--overwrite"})), 0, log));
    std::vector<std::pair<std::string, std::string>> found;
    for (const TaskSettings& task : read_trial(path("new.yaml")).tasks)
      found.emplace_back(task.name, files_of(task).empty() ? "" : files_of(task).front().string());
    return found;
  };
  using Sets = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(sets({}, {"test_hidden.parquet: is not measured: ", "no pair is labelled entailment",
                      "test_parts-00000-of-00002.parquet: is not measured, as it is one of 2 shards"}),
            (Sets{{"dev", validation}, {"validation_other", other}, {"test", test}}));
  EXPECT_EQ(sets({"--dev", own}, {}), (Sets{{"dev", own}, {"test", test}}));
  EXPECT_EQ(sets({"--test", own}, {}), (Sets{{"dev", validation}, {"own_set", own}, {"validation_other", other}}));
  const ProgramRun run = init("hub/data/test-00000-of-00001.parquet", {"--train", folder.string(), "--overwrite"});
  EXPECT_TRUE(ended(run, 2, {"is the file that is read as --test"}));
}

/// With the user's names of columns, and without bad lines if they are to be skipped.
TEST_F(NamesOfData, SetsOfAFolderAreReadAsTheTrainingFiles) {
  fs::create_directories(folder_ / "hub");
  const std::string rows = "evidence,claim,verdict\nw1,w2,entailment\nw1,w3,contradiction\nw4,w5,neutral\n";
  for (const char* name : {"train", "validation", "test"})
    write_bytes(folder_ / "hub" / concat(name, ".parquet"), rows + (name[0] == 't' ? "" : "w6,w7,what\n"));
  const std::vector<std::string> arguments{"--train", path("hub"), "--columns",
                                           "premise=evidence,hypothesis=claim,label=verdict"};
  const auto names = [&](const std::vector<std::string>& more, const std::vector<std::string>& log) {
    EXPECT_TRUE(ended(init("new.yaml", with(with(arguments, {"--overwrite"}), more)), 0, log));
    std::vector<std::string> found;
    for (const TaskSettings& task : read_trial(path("new.yaml")).tasks) found.push_back(task.name);
    return found;
  };
  EXPECT_EQ(names({}, {"validation.parquet: is not measured: ", "the label \"what\" is unknown"}),
            (std::vector<std::string>{"test"}));
  EXPECT_EQ(names({"--skip-bad-lines"}, {}), (std::vector<std::string>{"dev", "test"}));
}

TEST_F(NamesOfData, AreTheUsersColumnsInEverySet) {
  const std::string rows = "evidence,claim,verdict\nw1,w2,entailment\nw1,w3,contradiction\nw4,w5,neutral\n";
  const std::vector<std::string> sets{"--train", file("one.csv", rows),  "--dev", file("two.csv", rows),
                                      "--test",  file("three.csv", rows)};
  EXPECT_TRUE(ended(init("new.yaml", sets), 2, {"one.csv:1: the columns are"}));
  ASSERT_TRUE(ended(init("new.yaml", with(sets, {"--columns", "premise=evidence,hypothesis=claim,label=verdict"})), 0,
                    {"two.csv: columns: premise=evidence", "three.csv: columns: premise=evidence"}));
  EXPECT_EQ(read_trial(path("new.yaml")).tasks.size(), 2u);
}

TEST_F(NamesOfData, BadLinesAreCounted) {
  const std::string text = read_whole_file(project_.train(), 1 << 20);
  const std::string bad = file("bad.jsonl", text + "{\n{}\n{}\n");
  EXPECT_TRUE(ended(init("new.yaml", {"--train", project_.train().string(), bad}), 2, {"bad.jsonl:"}));
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_TRUE(ended(init("new.yaml", {"--train", project_.train().string(), bad, "--skip-bad-lines"}), 0,
                    {concat(bad, ": 3 of ", lines + 3, " lines are left out"), concat(bad, ":", lines + 1, ": "),
                     concat("2 lines such as ", bad, ":", lines + 2, ": the key")}));
}

/// The trial has the same names, and a printed name has no line and no colour of its own.
TEST_F(NamesOfData, MayHoldControlCharactersButMustBeUtf8) {
  const std::string train = copy(project_.train(), "a\nb\x1b[31m\t.jsonl"), trial = "t\n\x1bl.yaml";
  const ProgramRun run = init(trial, {"--train", train, "--dev", train});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_EQ(std::count(run.output.begin(), run.output.end(), '\n'), 3) << run.output;
  for (const std::string& text : {run.output, run.errors}) EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  const Trial read = read_trial(path(trial));
  EXPECT_EQ(read.data.train, std::vector<fs::path>{train});
  EXPECT_EQ(read.output, folder_ / "runs/t\n\x1bl");
  EXPECT_EQ(files_of(read.tasks.at(0)), std::vector<fs::path>{train});
  const std::string invalid = copy(project_.train(), "\xff\xfe.jsonl");
  EXPECT_TRUE(ended(init("new.yaml", {"--train", invalid}), 2, {"\\xff\\xfe.jsonl\" cannot be written into a trial"}));
  EXPECT_FALSE(fs::exists(path("new.yaml")));
}

/// There are 190 short sentences, 8 of 66 tokens and 2 of 69.
TEST_F(NamesOfData, MaxTokensHold99OfAHundredSentences) {
  const auto words = [](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += concat(i == 0 ? "" : " ", "w", i % 50);
    return text;
  };
  std::string text = "query,pos\n";
  for (std::size_t row = 0; row < 100; ++row)
    text += concat("w", row % 50, " w", row / 50, ",", words(row < 8 ? 64 : row < 10 ? 67 : 3), "\n");
  ASSERT_TRUE(ended(init("new.yaml", {"--train", file("p.csv", text)}), 0));
  EXPECT_TRUE(says(read_whole_file(path("new.yaml"), 1 << 16), "of the sampled sentences have at most 66,"));
  // The model has 70 positions, two of them for [CLS] and [SEP].
  text = concat("query,pos\n", words(68), ",", words(69), "\nw1 w2,zzz\n");
  EXPECT_TRUE(ended(init("cut.yaml", {"--train", file("cut.csv", text)}), 0,
                    {"sampled sentences: 0.7 % of 139 tokens are unknown, 25.0 % of 4 sentences are cut at 70 tokens",
                     "sampled sentences: 1 sentence has more than 70 tokens"}));
}

}  // namespace
}  // namespace gausscse
