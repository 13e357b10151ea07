#include <nlohmann/json.hpp>

#include "experiments/study/study_results.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

// Every system and every family of backbones at toy size, from a manifest to tables and page, as a user goes.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
constexpr const char* manifest_text = R"(format: gausscse-manifest/1
name: every-system
title: "Every system, at toy size"
defaults:
  data: {train: [train.jsonl], cache: cache}
  training: {batch_size: 8, max_steps: 4, max_tokens: 16, learning_rate: 1.0e-3}
axes:
  backbone:
    bert: {model.backbone.path: model}
    mpnet: {model.backbone.path: mpnet}
    distilbert: {model.backbone.path: distilbert}
  system:
    released: {recipe: released}
    paper: {recipe: paper}
    simcse: {recipe: simcse}
    pairs: {recipe: contrastive_pairs}
    dynamics: {recipe: dynamics}
    ce: {recipe: liao, tasks: {labels: {kind: nli_labels, files: test.jsonl}}}
    augment:
      recipe: liao
      objective: {kind: augmented_classification, positives: 3, negatives: 3}
      tasks: {labels: {kind: nli_labels, files: test.jsonl}}
    scl:
      recipe: liao
      objective:
        kind: sum
        terms:
          classification: {kind: pair_classification, weight: 0.5}
          contrastive: {kind: supervised_contrastive, weight: 0.5, positives: all, negatives: all}
      tasks: {labels: {kind: nli_labels, files: test.jsonl}}
stages:
  systems:
    grid:
      backbone: [bert]
      system: all
    include:
      - {backbone: mpnet, system: released}
      - {backbone: mpnet, system: scl}
      - {backbone: distilbert, system: released}
    seeds: [0, 1]
tables:
  nli: {rows: [backbone, system], figures: [test.accuracy, test.auprc, test.direction_sim], compare: system}
  sts: {rows: [backbone, system], figures: [sts.spearman, sts.spearman_wmean]}
  transfer: {rows: [backbone, system], figures: [transfer.accuracy, transfer.accuracy.MR, transfer.accuracy.TREC]}
  labels: {rows: [system], figures: [labels.accuracy]}
  found: {rows: [backbone, system], figures: [found.recall_at_1, found.mrr_at_10]}
  tokens: {rows: [backbone, system], figures: [tokens.anisotropy, tokens.adjusted_self_similarity]}
)";

/// Returns the tasks that measure every trial, and that `gausscse eval` runs after it.
std::string tasks_text(const std::string& indent) {
  std::string text;
  for (const std::string& task :
       {concat("dev: {kind: nli, files: dev.jsonl}"), concat("test: {kind: nli, files: test.jsonl, threshold: dev}"),
        concat("sts: {kind: sts, files: [sts.csv]}"), concat("found: {kind: retrieval, files: test.jsonl}"),
        concat("transfer: {kind: transfer, files: ", golden("transfer/downstream").string(),
               ", tasks: [MR, TREC], mode: fast}"),
        concat("tokens: {kind: geometry, files: sts.csv, draws: 0, samples: 20, eval_every: 2, vectors: true}")})
    text += indent + task + "\n";
  return text;
}

json json_of(const fs::path& file) {
  return json::parse(read_whole_file(file, std::size_t{1} << 26));
}

class EverySystem : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder();
    const TinyProject project(folder_->path());
    copy_family("mpnet", golden("training/mpnet_vocab.txt"));
    write_bytes(*folder_ / "mpnet/tokenizer_config.json", R"({"tokenizer_class": "MPNetTokenizer"})");
    copy_family("distilbert", project.model() / "vocab.txt");
    std::string manifest = manifest_text;
    const std::string before = "axes:\n";
    manifest.insert(manifest.find(before), "  tasks:\n" + tasks_text("    "));
    write_bytes(*folder_ / "study.yaml", manifest);
    write_bytes(*folder_ / "tasks.yaml", "tasks:\n" + tasks_text("  "));
    run_ = run_program({"run", (*folder_ / "study.yaml").string(), "--results", results().string()});
  }
  static void TearDownTestSuite() { delete folder_; }

  /// The family's small random model among the goldens, which knows the words of the project.
  static void copy_family(const std::string& family, const fs::path& vocabulary) {
    fs::copy(golden("weights/tiny-" + family), *folder_ / family, fs::copy_options::recursive);
    fs::copy_file(vocabulary, *folder_ / family / "vocab.txt");
  }

  static fs::path results() { return *folder_ / "results"; }

  static TemporaryFolder* folder_;
  static ProgramRun run_;
};

TemporaryFolder* EverySystem::folder_ = nullptr;
ProgramRun EverySystem::run_;

TEST_F(EverySystem, IsTrained) {
  ASSERT_EQ(run_.exit_code, 0) << run_.errors;
  EXPECT_TRUE(says(run_.errors, "22 of 22 trials are done, 0 failed, 0 are left"));
  for (const StudyTrial& trial : read_study(results()).trials) {
    ASSERT_EQ(trial.status, TrialStatus::done);
    EXPECT_EQ(trial.run->steps, 4);
    EXPECT_GT(trial.run->step_seconds, 0);
    EXPECT_LT(trial.run->step_seconds, trial.run->seconds);
    EXPECT_TRUE(fs::exists(trial.folder / "model"));
    EXPECT_FALSE(fs::exists(trial.folder / "checkpoints"));
  }
}

/// Another command, which reads the saved model, measures the metrics that the training reported.
TEST_F(EverySystem, IsMeasuredAlikeFromItsSavedModel) {
  ASSERT_EQ(run_.exit_code, 0) << run_.errors;
  for (const StudyTrial& trial : read_study(results()).trials) {
    if (trial.planned.seed != 0) continue;
    SCOPED_TRACE(title_of(trial.planned));
    const fs::path report = *folder_ / "eval.json";
    run_expecting(0, {"eval", (trial.folder / "model").string(), "--tasks", (*folder_ / "tasks.yaml").string(),
                      "--json", report.string(), "--overwrite"});
    const json observer = json_of(report)["tasks"];
    std::size_t compared = 0;
    for (const Measurement& task : trial.kept.tasks) {
      if (task.task == "labels") continue;
      for (const Metric& metric : task.metrics) {
        SCOPED_TRACE(task.task + "." + metric.name);
        const json& value = observer.at(task.task).at(metric.name);
        if (std::isnan(metric.value))
          EXPECT_TRUE(value.is_null());
        else
          EXPECT_NEAR(value.get<double>(), metric.value, 1e-9);
        ++compared;
      }
    }
    EXPECT_GT(compared, 40u);
  }
}

/// A cell is the mean over its seeds of the values in the reports of the trials.
TEST_F(EverySystem, ItsTablesHaveTheMetricsOfItsReports) {
  ASSERT_EQ(run_.exit_code, 0) << run_.errors;
  const ProgramRun printed = run_expecting(0, {"tables", results().string(), "--format", "json"});
  std::map<std::vector<std::string>, std::vector<json>> reports;  // by backbone and system
  for (const StudyTrial& trial : read_study(results()).trials)
    reports[{*label_on(trial.planned, "backbone"), *label_on(trial.planned, "system")}].push_back(
        json_of(trial.folder / "report.json")["tasks"]);
  ASSERT_EQ(reports.size(), 11u);
  std::size_t values = 0, missing = 0;
  const json document = json::parse(printed.output);
  for (const json& table : document["tables"]) {
    if (table["name"] == "labels") continue;
    ASSERT_EQ(table["rows"].size(), 11u);
    for (std::size_t r = 0; r < table["rows"].size(); ++r) {
      const auto& of_row = reports.at(table["rows"][r].get<std::vector<std::string>>());
      ASSERT_EQ(of_row.size(), 2u);
      for (std::size_t c = 0; c < table["columns"].size(); ++c) {
        const std::string name = table["columns"][c]["figure"];
        SCOPED_TRACE(concat(table["rows"][r].dump(), " ", name));
        const std::size_t dot = name.find('.');
        const auto value_in = [&](const json& report) {
          return report.at(name.substr(0, dot)).at(name.substr(dot + 1));
        };
        const json &first = value_in(of_row[0]), &second = value_in(of_row[1]), &cell = table["cells"][r][c];
        if (first.is_null()) {
          EXPECT_EQ(cell["count"], 0);
          ++missing;
          continue;
        }
        EXPECT_NEAR(cell["value"].get<double>(), (first.get<double>() + second.get<double>()) / 2, 1e-12);
        ++values;
      }
    }
  }
  // Cosines have no direction: of the eleven systems those of four have none.
  EXPECT_EQ(missing, 7u);
  EXPECT_EQ(values, 11u * 12 - missing);
}

TEST_F(EverySystem, ItsPageHasASectionOfEverything) {
  ASSERT_EQ(run_.exit_code, 0) << run_.errors;
  const fs::path page = *folder_ / "page.html";
  run_expecting(0, {"report", results().string(), "--output", page.string()});
  const std::string text = read_whole_file(page, std::size_t{1} << 26);
  EXPECT_TRUE(says(text, "<title>Every system, at toy size</title>"));
  for (const char* title : {"nli", "sts", "transfer", "found", "labels", "tokens"})
    EXPECT_TRUE(says(text, concat("<h3>", title, "</h3>"))) << title;
  for (const char* missing : {"Missing from this page", "cannot be read"})
    EXPECT_EQ(text.find(missing), std::string::npos) << missing;
}

}  // namespace
}  // namespace gausscse
