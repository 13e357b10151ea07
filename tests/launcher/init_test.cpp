#include "config/trial/recipe_defaults.hpp"
#include "results/result_file.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// A project, and the command that writes a trial for its model.
class Init : public TinyProjectTest {
 protected:
  ProgramRun init(const std::vector<std::string>& arguments) const {
    return run_program(with({"init", path("new.yaml"), "--backbone", project_.model().string()}, arguments));
  }

  /// Returns the trial that the command writes.
  Trial written(const std::vector<std::string>& arguments) const {
    const ProgramRun run = init(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    return read_trial(folder_ / "new.yaml");
  }

  /// Returns the common part of the trials here, of 40 examples: ten batches of four. The model has positions for 70
  /// tokens.
  Trial expected(setting::Recipe recipe, const std::string& train) const {
    Trial trial = recipe_defaults(recipe);
    trial.model.backbone.path = project_.model();
    trial.data.train = {folder_ / train};
    trial.training.batch_size = 4;
    trial.training.keep_checkpoint = true;
    trial.output = folder_ / "runs/new";
    return trial;
  }

  /// Trains three steps of the trial.
  void expect_three_steps() const {
    run_expecting(0, {"train", path("new.yaml"), "--threads", "1", "--set", "training.max_steps=3", "--set",
                      concat("data.cache=", path("cache"))});
    EXPECT_EQ(read_result(folder_ / "runs/new/result.h5").training.step, (std::vector<std::int64_t>{0, 1, 2}));
  }

  void select_by_dev(Trial& trial) const {
    trial.tasks = {{"dev", 1, NliTaskSettings{.file = project_.dev()}}};
    trial.select.task = "dev";
    trial.select.metric = "auprc";
  }
  /// Holds a quarter of 40 premises out.
  static void hold_out(Trial& trial, std::int64_t eval_every) {
    trial.data.dev_fraction = 0.25;
    trial.training.batch_size = 2;
    trial.tasks = {{"dev", eval_every, NliTaskSettings{}}};
    trial.select.task = "dev";
    trial.select.metric = "auprc";
  }
};

/// Returns 40 rows of this many fields of a few words, and one of `last` each, where there are any.
std::string rows_of_words(std::size_t fields, const std::string& separator, const std::vector<std::string>& last = {}) {
  std::string text;
  for (std::size_t row = 0; row < 40; ++row) {
    for (std::size_t field = 0; field < fields; ++field)
      text += concat(field == 0 ? "" : separator, "w", row, " w", (row + field + 1) % 50, field == 0 ? " w50" : "");
    if (!last.empty()) text += separator + last[row % last.size()];
    text += "\n";
  }
  return text;
}

TEST_F(Init, TriplesWithTabs) {
  file("t.tsv", "anchor\tpositive\tnegative\n" + rows_of_words(3, "\t"));
  const ProgramRun run = init({"--train", path("t.tsv"), "--dev", project_.dev().string(), "--test",
                               concat("tiny=", project_.test().string()), "--test", project_.sts().string()});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(says(run.errors, "t.tsv: columns: premise=anchor, entailed=positive, contradicted=negative"));
  EXPECT_TRUE(says(run.errors, "40 rows give 40 triples; recipe released, about 10 steps"));
  EXPECT_EQ(run.output, concat("wrote ", path("new.yaml"), "\ntrain: gausscse train ", path("new.yaml"),
                               "\nscore: gausscse score ", path("runs/new"),
                               " pairs.tsv --header   # pairs.tsv: two sentences a line, with a tab between them\n"));
  Trial trial = expected(setting::Recipe::released, "t.tsv");
  select_by_dev(trial);
  trial.tasks.push_back({"tiny", 0, NliTaskSettings{.file = project_.test(), .threshold = "dev"}});
  trial.tasks.push_back({"sts", 0, StsTaskSettings{.files = {project_.sts()}}});
  EXPECT_EQ(read_trial(folder_ / "new.yaml"), trial);
  expect_three_steps();
}

TEST_F(Init, NliLinesOfJson) {
  Trial trial = expected(setting::Recipe::released, "train.jsonl");
  select_by_dev(trial);
  EXPECT_EQ(written({"--train", project_.train().string(), "--dev", project_.dev().string()}), trial);
  expect_three_steps();
}

TEST_F(Init, OddNamesOfColumnsAndLabels) {
  const std::vector<std::string> train{
      "--train", file("odd.csv", "evidence;claim;verdict\n" + rows_of_words(2, ";", {"yes", "no"}))};
  EXPECT_TRUE(ended(init(train), 2,
                    {"odd.csv:1: the columns are \"evidence\", \"claim\", \"verdict\", but these names are not known "
                     "(the first line must name "
                     "the columns): name them by "
                     "--columns premise=NAME,entailed=NAME,contradicted=NAME"}));
  EXPECT_FALSE(fs::exists(path("new.yaml")));
  EXPECT_TRUE(ended(init(with(train, {"--columns", "premise=evidence,hypothesis=claim,label=verdict"})), 2,
                    {"odd.csv", "\"yes\""}));
  // No premise has both labels; 20 have an entailment, of which 15 are left.
  Trial trial = expected(setting::Recipe::contrastive_pairs, "odd.csv");
  hold_out(trial, 1);
  trial.data.layout = {.premise = "evidence",
                       .hypothesis = "claim",
                       .label = "verdict",
                       .entailment = "yes",
                       .contradiction = "no",
                       .none = ""};
  EXPECT_EQ(written(with(train, {"--columns", "premise=evidence,hypothesis=claim,label=verdict", "--labels",
                                 "entailment=yes,contradiction=no,none="})),
            trial);
  expect_three_steps();
  fs::remove(path("new.yaml"));
  EXPECT_TRUE(ended(init({"--train", project_.train().string(), "--columns", "premise=sentense1"}), 2,
                    {"--columns: no file has the column \"sentense1\", did you mean \"sentence1\"?"}));
}

TEST_F(Init, PairsAlone) {
  const std::vector<std::string> train{"--train", file("p.csv", "query,pos\n" + rows_of_words(2, ","))};
  const ProgramRun run = init(train);
  EXPECT_TRUE(ended(run, 0, {"nothing is measured: --dev takes a set with labels or scores"}));
  EXPECT_EQ(read_trial(folder_ / "new.yaml"), expected(setting::Recipe::contrastive_pairs, "p.csv"));
  expect_three_steps();
  fs::rename(path("new.yaml"), path("first.yaml"));
  // The folder of results is there now.
  Trial trial = expected(setting::Recipe::released, "p.csv");
  trial.objective.loss = Loss::ent_rev;
  trial.data.examples = ExampleKind::entailment_pairs;
  trial.output = folder_ / "runs/new-2";
  EXPECT_EQ(written(with(train, {"--recipe", "released"})), trial);
}

TEST_F(Init, FolderOfShards) {
  fs::create_directories(folder_ / "hub/data");
  fs::copy(golden("tables/datasets.parquet"), folder_ / "hub/data/train-00000-of-00001.parquet");
  const std::vector<std::string> train{"--train", path("hub"), "--skip-bad-lines"};
  if (!GAUSSCSE_HAS_PARQUET) {
    EXPECT_TRUE(ended(init(train), 2, {"this is a Parquet table"}));
    return;
  }
  // Three of its twelve rows are labelled entailment, three contradiction, all of one premise each.
  Trial trial = expected(setting::Recipe::contrastive_pairs, "hub/data/train-00000-of-00001.parquet");
  trial.training.batch_size = 2;
  trial.data.bad_lines = BadLines::skip;
  EXPECT_EQ(written(train), trial);
  EXPECT_TRUE(says(read_whole_file(path("new.yaml"), 1 << 16), "    - \"hub\"\n"));
  expect_three_steps();
}

TEST_F(Init, RefusesAndReplacesNothing) {
  EXPECT_TRUE(ended(init({"--train", project_.sts().string()}), 2,
                    {"sts.csv: has pairs with scores, and no loss learns from scores"}));
  EXPECT_FALSE(fs::exists(path("new.yaml")));
  const std::string mine = "mine";
  file("new.yaml", mine);
  EXPECT_TRUE(ended(init({"--train", project_.train().string()}), 2,
                    {"new.yaml is there already: give another path, or --overwrite to replace it"}));
  EXPECT_EQ(read_whole_file(path("new.yaml"), 100), mine);
  EXPECT_TRUE(ended(init({"--train", folder_.path().string()}), 2, {"new.yaml is there already"}));
  EXPECT_TRUE(ended(init({"--train", project_.train().string(), "--overwrite"}), 0));
  EXPECT_TRUE(says(read_whole_file(path("new.yaml"), 1 << 16), "train.jsonl"));
  run_expecting(2,
                {"init", project_.train().string(), "--train", project_.train().string(), "--backbone",
                 project_.model().string(), "--overwrite"},
                {"is the file that is read as --train"});
  fs::remove(path("new.yaml"));
  EXPECT_TRUE(ended(init({"--train", folder_.path().string()}), 2, {"is a folder without files train*.parquet"}));
  EXPECT_TRUE(ended(init({"--train", project_.train().string(), "--recipe", "sbert"}), 2, {"--recipe"}));
  run_expecting(
      2, {"init", "--train", project_.train().string(), path("other.yaml"), "--backbone", project_.model().string()},
      {"other.yaml\" is no file of sentences: give TRIAL first"});
  EXPECT_TRUE(ended(init({"--train", path("nowhere.csv")}), 2, {"nowhere.csv"}));
}

TEST_F(Init, PrintsTheTrial) {
  const ProgramRun run =
      run_expecting(0, {"init", "-", "--backbone", project_.model().string(), "--train", project_.train().string()});
  Trial trial = expected(setting::Recipe::released, "train.jsonl");
  hold_out(trial, 2);
  trial.output = folder_ / "runs/trial";
  Trial read = parse_trial(run.output, "standard output", fs::current_path());
  read.output = trial.output;
  EXPECT_EQ(read, trial);
}

/// A blank in a name, a link above the trial's folder or another folder may lie between them.
TEST_F(Init, NamesFilesFromTheTrialsFolder) {
  fs::create_directories(folder_ / "real/deep");
  fs::create_directory_symlink(folder_ / "real/deep", folder_ / "link");
  file("my data.jsonl", read_whole_file(project_.train(), 1 << 20));
  const auto train_of = [&](const std::string& trial) {
    run_expecting(0, {"init", path(trial), "--backbone", project_.model().string(), "--train", path("my data.jsonl")});
    EXPECT_TRUE(fs::equivalent(read_trial(folder_ / trial).data.train.at(0), path("my data.jsonl")));
    return read_whole_file(path(trial), 1 << 16);
  };
  EXPECT_TRUE(says(train_of("a b.yaml"), "    - \"my data.jsonl\"\n"));
  EXPECT_TRUE(
      says(read_whole_file(path("a b.yaml"), 1 << 16), concat("# Train: gausscse train '", path("a b.yaml"), "'")));
  EXPECT_TRUE(says(train_of("real/deep/c.yaml"), "    - \"../../my data.jsonl\"\n"));
  fs::create_directory(folder_ / "runs");
  train_of("runs/e.yaml");
  EXPECT_EQ(read_trial(folder_ / "runs/e.yaml").output, folder_ / "runs/e");
  EXPECT_TRUE(says(train_of("link/d.yaml"), concat("    - \"", path("my data.jsonl"), "\"\n")));
}

}  // namespace
}  // namespace gausscse
