#include "experiments/manifest/manifest.hpp"
#include "tests/experiments/manifest/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

struct Wrong {
  std::string from, to;  ///< text of the sample that is replaced, and its replacement
  std::string place;     ///< line and column that the message begins with
  std::string says;
};

std::string refusal(const std::string& from, const std::string& to) {
  return refusal_of([&] { parse_study(replaced(study_manifest, from, to), "/base"); });
}

void expect_refusals(const std::vector<Wrong>& all) {
  for (const Wrong& wrong : all) {
    const std::string message = refusal(wrong.from, wrong.to);
    EXPECT_TRUE(message.starts_with("study.yaml:" + wrong.place)) << wrong.to << "\n" << message;
    EXPECT_TRUE(says(message, wrong.says)) << wrong.to;
  }
}

TEST(ManifestErrors, KeysThatAreNoneAreReportedWithTheirPlace) {
  expect_refusals({
      {"name: sample", "nmae: sample", "2:1", "the key \"nmae\" is not known, did you mean \"name\""},
      {"seeds: [3, 5]", "seed: [3, 5]", "24:5",
       "\"stages.final.seed\" is not known, did you mean \"stages.final.seeds\""},
      {"figures: [test.accuracy]", "figure: [test.accuracy]", "26:43", "\"tables.nli.figure\" is not known"},
      {"figure: dev.auprc", "figures: dev.auprc", "20:30", "\"stages.final.best_of.figures\" is not known"},
      {"format: gausscse-manifest/1", "format: gausscse-manifest/2", "1:9", "is not a format this program knows"},
      {"name: sample", "name: two words", "2:7", "is not 1 to 64 letters, digits"},
  });
}

TEST(ManifestErrors, AnAxisOverAnUnknownKeyIsReportedWithItsPlaceAndTheNearestName) {
  expect_refusals({
      {"training.batch_size: [16, 32]", "training.bach_size: [16, 32]", "17:7",
       "stages.choose.grid.training.bach_size: \"training.bach_size\" is neither one of `axes` nor a key of trials, "
       "did "
       "you mean \"training.batch_size\""},
      {"      backbone: all", "      bakbone: all", "16:7", "did you mean \"backbone\""},
      {"training.batch_size: [16, 32]", "training.seed: [1, 2]", "17:7", "training.seed is no axis: give `seeds`"},
      {"training.batch_size: [16, 32]", "output: [a, b]", "17:7", "output is no axis"},
      {"training.batch_size: [16, 32]", "training.batch_size: [16, 16]", "17:33", "\"16\" is there twice"},
      {"training.batch_size: [16, 32]", "training.batch_size: 16", "17:28", "is not a list of values"},
      {"training.batch_size: [16, 32]", "training.batch_size: []", "17:28", "the list is empty"},
      {"[large, small]", "[lrage, small]", "22:18", "\"lrage\" is no label of axes.backbone, did you mean \"large\""},
      {"[large, small]", "every", "22:17", "is not a list of labels, or the word all"},
  });
}

TEST(ManifestErrors, NamedAxesAreChecked) {
  expect_refusals({
      {"  backbone:\n    small", "  recipe:\n    small", "10:3", "is a key of trials or not"},
      {"  backbone:\n    small", "  model:\n    small", "10:3", "is a key of trials or not"},
      {"    small: {model.backbone.path: small}", "    small: 3", "11:12", "is not a map of keys of trials"},
  });
}

TEST(ManifestErrors, AChoiceFromAStageThatIsNotBeforeIsRefused) {
  expect_refusals({
      {"stage: choose,", "stage: final,", "20:5", "does not stand before this stage"},
      {"stage: choose,", "stage: chose,", "20:5", "is no stage, did you mean \"choose\""},
      {"stage: choose, ", "", "20:5", ".stage is missing"},
      {"figure: dev.auprc, ", "", "20:5", ".figure is missing"},
      {"figure: dev.auprc", "figure: auprc", "20:5", "not of the form TASK.METRIC"},
      {"within: backbone", "within: objective.loss", "20:5", "\"objective.loss\" is no axis of the stage choose"},
      {"within: backbone", "within: training.batch_size", "20:5", "\"training.batch_size\" is no axis of this stage"},
  });
  const std::string later =
      replaced(study_manifest, "      training.learning_rate: [1e-5, 3.0e-5]\n",
               "      training.learning_rate: [1e-5, 3.0e-5]\n    best_of: {stage: final, figure: dev.auprc}\n");
  EXPECT_TRUE(says(refusal_of([&] { parse_study(later, "/base"); }), "does not stand before this stage"));
}

TEST(ManifestErrors, PointsAreChecked) {
  const std::string rates = "      training.learning_rate: [1e-5, 3.0e-5]\n";
  const auto with = [&](const std::string& line) { return rates + "    " + line + "\n"; };
  expect_refusals({
      {rates, with("exclude: [{backbne: small}]"), "19:16", "\"backbne\" is no axis of the stage's grid, did you mean"},
      {rates, with("exclude: [{backbone: smal}]"), "19:26",
       "\"smal\" is not on the axis backbone, did you mean \"small\""},
      {rates, with("exclude: [{backbone: small}, {backbone: [small]}]"), "19:34", "no point of the grid is left out"},
      {rates, with("exclude: [{backbone: [small, large]}]"), "14:3", "has no trial"},
      {rates, with("include: [{backbone: small}]"), "19:15", "has no label on the axis training.batch_size"},
      {rates, with("include: [{backbone: small, training.batch_size: 16, training.learning_rate: 1e-5}]"), "19:15",
       "this point is there already"},
      {rates, with("include: [{backbone: tiny, training.batch_size: 16, training.learning_rate: 1e-5}]"), "19:26",
       "\"tiny\" is no label of axes.backbone"},
  });
}

/// 47 * 47 * 47 points, where 100,000 are allowed.
TEST(ManifestErrors, AGridOfTooManyPointsIsRefused) {
  std::string values;
  for (int i = 1; i <= 47; ++i) values += (i > 1 ? ", " : "") + std::to_string(i);
  const std::string grid = replaced(study_manifest, "[16, 32]", "[" + values + "]");
  const std::string message = refusal_of([&] {
    parse_study(replaced(grid, "[1e-5, 3.0e-5]\n", "[" + values + "]\n      training.max_steps: [" + values + "]\n"),
                "/base");
  });
  EXPECT_TRUE(message.starts_with("study.yaml:16:7")) << message;
  EXPECT_TRUE(says(message, "stages.choose.grid: more than 100000 points"));
}

TEST(ManifestErrors, ALabelHasABound) {
  const auto with_label_of = [](std::size_t bytes) {
    return refusal("      backbone: all", "      model.backbone.path: [" + std::string(bytes, 'a') + "]");
  };
  EXPECT_TRUE(says(with_label_of(201), "is not a label of 1 to 200 bytes without line breaks"));
  EXPECT_FALSE(says(with_label_of(200), "is not a label"));
}

TEST(ManifestErrors, SeedsAreChecked) {
  expect_refusals({
      {"seeds: [3, 5]", "seeds: [3, 3]", "24:16", "is there twice"},
      {"seeds: [3, 5]", "seeds: [-1]", "24:13", "is out of range"},
      {"seeds: [3, 5]", "seeds: []", "24:12", "is not a list of numbers"},
      {"seeds: [3, 5]", "seeds: 3", "24:12", "is not a list of numbers"},
  });
}

TEST(ManifestErrors, TablesAreChecked) {
  expect_refusals({
      {"rows: [backbone,", "rows: [bakbone,", "26:3",
       "\"bakbone\" is no axis of the stage final, did you mean \"backbone\""},
      {"rows: [backbone,", "stage: fnal, rows: [backbone,", "26:3", "\"fnal\" is no stage, did you mean \"final\""},
      {"rows: [backbone,", "compare: los, rows: [backbone,", "26:3", "tables.nli.compare: \"los\" is no axis"},
      {"rows: [backbone,", "columns: backbone, rows: [backbone,", "26:3", "\"backbone\" is among rows and columns"},
      {"rows: [backbone,", "paper: {source: v2}, rows: [backbone,", "26:3", "source and table go together"},
      {"[test.accuracy]", "[accuracy]", "26:53", "is not of the form TASK.METRIC"},
      {"[test.accuracy]", "[{figure: test.accuracy, unit: x}]", "26:77", "\"tables.nli.figures.unit\" is not known"},
      {"rows: [backbone,", "paper: {source: v2, table: 3, columns: {modle: backbone}}, rows: [backbone,", "26:49",
       "\"modle\" is none of model, loss"},
  });
}

TEST(ManifestErrors, AnOutputOfTheUsersIsRefused) {
  expect_refusals({{"  data: {train: train.jsonl}", "  output: out", "4:3", "each trial has its own folder"}});
}

/// Returns the lines of the refusal of the sample with these replacements, up to the place and problem.
std::vector<std::string> lines_of_refusal(const std::vector<std::pair<std::string, std::string>>& replacements) {
  std::string text = study_manifest;
  for (const auto& [from, to] : replacements) text = replaced(text, from, to);
  std::istringstream message(refusal_of([&] { parse_study(text, "/base"); }));
  std::vector<std::string> lines;
  for (std::string line; std::getline(message, line);) lines.push_back(line.substr(0, line.find(", did you")));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(ManifestErrors, AllProblemsAreReportedAtOnce) {
  EXPECT_EQ(lines_of_refusal({{"seeds: [3, 5]", "seeds: 3"}, {"[16, 32]", "16"}}),
            (Lines{"study.yaml:17:28: stages.choose.grid.training.batch_size: \"16\" is not a list of values",
                   "study.yaml:24:12: stages.final.seeds: \"3\" is not a list of numbers (allowed: a list of integers "
                   "from 0)"}));
  // A table's key, the value of a trial, and a metric.
  EXPECT_EQ(
      lines_of_refusal({{"rows: [backbone,", "titel: x, rows: [backbone,"},
                        {"[16, 32]", "[16, 0]"},
                        {"test.accuracy", "test.acuracy"}}),
      (Lines{"study.yaml:26:9: the key \"tables.nli.titel\" is not known",
             "study.yaml:17:33: training.batch_size: \"0\" is out of range (allowed: an integer from 1 to 10000000)",
             "tables.nli.figures: the task \"test\" gives no metric \"acuracy\""}));
  // A table's axis, a choice, a key of trials, and a trial's missing key.
  EXPECT_EQ(
      lines_of_refusal({{"rows: [backbone,", "rows: [bakbone,"},
                        {"figure: dev.auprc", "figure: dev.aucpr"},
                        {"eval_every: 10", "eval_evry: 10"},
                        {"data: {train: train.jsonl}", "data: {cache: x}"}}),
      (Lines{"study.yaml:26:3: tables.nli.rows: \"bakbone\" is no axis of the stage final",
             "study.yaml:6:40: the key \"tasks.dev.eval_evry\" is not known",
             "study.yaml:4:3: data.train is missing: add it (a path or a list of paths): NLI files (jsonl, txt, CSV, "
             "Parquet; of SICK.txt the TRAIN rows), or files of triples with the columns sent0,sent1,hard_neg "
             "(anchor,positive,negative). A folder is its `train*.parquet`.",
             "study.yaml:20:5: stages.final.best_of.figure: the task \"dev\" gives no metric \"aucpr\""}));
}

/// Trials without the misspelt axis, and tables over it, are no problems: only faults by themselves are reported.
TEST(ManifestErrors, ThatFollowFromOthersAreNotReported) {
  EXPECT_EQ(lines_of_refusal({{"training.batch_size: [16, 32]", "training.bach_size: [16, 32]"},
                              {"rows: [backbone, objective.loss]", "rows: [training.batch_size, objective.los]"},
                              {"ent+con]", "ent+cno]"}}),
            (Lines{"study.yaml:17:7: stages.choose.grid.training.bach_size: \"training.bach_size\" is neither one of "
                   "`axes` nor a key of trials",
                   "study.yaml:26:3: tables.nli.rows: \"objective.los\" is no axis of the stage final",
                   "study.yaml:23:29: objective.loss: \"ent+cno\" is not known"}));
  EXPECT_EQ(
      lines_of_refusal({{"axes:", "axis:"}, {"[1e-5, 3.0e-5]", "[1e-5, -1]"}}),
      (Lines{"study.yaml:9:1: the key \"axis\" is not known",
             "study.yaml:16:7: stages.choose.grid.backbone: \"backbone\" is neither one of `axes` nor a key of trials",
             "study.yaml:22:7: stages.final.grid.backbone: \"backbone\" is neither one of `axes` nor a key of trials",
             "study.yaml:18:38: training.learning_rate: \"-1\" is out of range (allowed: a number above 0)"}));
  EXPECT_EQ(lines_of_refusal({{"defaults:", "default:"}, {"[test.accuracy]", "[tset.accuracy]"}}),
            (Lines{"study.yaml:3:1: the key \"default\" is not known"}));
  EXPECT_EQ(
      lines_of_refusal({{"stage: choose,", "stage: chose,"}, {"rows: [backbone,", "rows: [training.batch_size,"}}),
      (Lines{"study.yaml:20:5: stages.final.best_of.stage: \"chose\" is no stage"}));
}

TEST(ManifestErrors, WhatIsNoManifestIsRefused) {
  for (const char* text : {"", "- a\n", "text", "name: x\n"})
    EXPECT_NE(refusal_of([&] { parse_study(text, "/base"); }), "accepted") << text;
}

}  // namespace
}  // namespace gausscse
