#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "experiments/report/html/number_text.hpp"
#include "experiments/study/study_records.hpp"
#include "experiments/study/study_results.hpp"
#include "tests/experiments/report/made_up_study.hpp"
#include "tests/experiments/report/page_text.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace {

constexpr const char* manifest = R"(format: gausscse-manifest/1
name: minilm-small
title: "A title of the manifest's"
defaults: {model: {backbone: {path: model}}, data: {train: [train.jsonl]}}
axes: {system: {ent: {objective.loss: ent}, simcse: {recipe: simcse}}}
stages: {final: {grid: {system: all}, seeds: [0, 1]}}
tables:
  nli: {title: "Table of accuracies", stage: final, rows: [system], figures: [snli.accuracy], compare: system}
)";

class ReportCommand : public testing::Test {
 protected:
  void SetUp() override {
    MadeUpStudy study;
    study.systems = {"ent", "simcse"};
    study.seeds = 4;  // the last two of the last system are not done, and a test over seeds takes two
    study.steps = 20;
    study.pairs = 60;
    write_made_up_study(folder_.path(), study);
  }

  /// With its hash in the plan, as a worker does.
  void write_manifest(const std::string& text) const {
    write_bytes(folder_ / "results/manifest.yaml", text);
    PlanFile plan = read_plan(folder_ / "results/plan.json");
    plan.manifest_hash = content_hash_of(text);
    write_plan(folder_ / "results/plan.json", plan);
  }

  std::string page_at(const std::filesystem::path& path) const { return read_whole_file(path, std::size_t{1} << 26); }

  TemporaryFolder folder_;
  std::string results_ = (folder_ / "results").string(), output_ = (folder_ / "page.html").string();
};

TEST_F(ReportCommand, WritesAPageAndReplacesItWhereAsked) {
  write_manifest(manifest);
  const ProgramRun first = run_program({"report", results_, "--output", output_});
  ASSERT_EQ(first.exit_code, 0) << first.errors;
  EXPECT_EQ(first.output, output_ + ": 14 of 18 trials are done\n");
  const std::string page = page_at(output_);
  EXPECT_TRUE(says(page, "<title>A title of the manifest&#39;s</title>"));
  EXPECT_TRUE(says(page, "<h3>Table of accuracies</h3>"));
  EXPECT_EQ(page.find("Missing from this page"), std::string::npos);
  ASSERT_EQ(run_program({"report", results_, "--output", output_, "--overwrite"}).exit_code, 0);
  EXPECT_EQ(page_at(output_), page);
}

TEST_F(ReportCommand, HasWhatTheFlagsOfTablesAskFor) {
  write_manifest(manifest);
  const ProgramRun plain = run_program({"report", results_, "--output", output_, "--uncorrected"});
  ASSERT_EQ(plain.exit_code, 0) << plain.errors;
  EXPECT_FALSE(says(page_at(output_), "p by Holm"));
  const std::vector<std::string> flags{"--interval", "bootstrap"};
  std::vector<std::string> report{"report", results_, "--output", output_, "--overwrite"},
      tables{"tables", results_, "--format", "json"};
  report.insert(report.end(), flags.begin(), flags.end());
  tables.insert(tables.end(), flags.begin(), flags.end());
  const ProgramRun run = run_program(report), printed = run_program(tables);
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  ASSERT_EQ(printed.exit_code, 0) << printed.errors;
  const std::string page = page_at(output_);
  const nlohmann::json test = nlohmann::json::parse(printed.output)["tables"][0]["cells"][0][0]["tests"][0];
  for (const char* heading : {"p by Holm", "95% interval of the difference", "p over items"})
    EXPECT_TRUE(says(page, heading));
  EXPECT_TRUE(
      says(page, concat("<td>[", metric_value_text(test["bootstrap"]["low"], Unit::fraction), ", ",
                        metric_value_text(test["bootstrap"]["high"], Unit::fraction), "]</td><td>",
                        short_number(test["bootstrap"]["p"]), "</td><td>", short_number(test["seeds_p"]), "</td><td>",
                        short_number(test["p"]), "</td><td>", short_number(test["holm_p"]), "</td>")));
  EXPECT_EQ(run_program({"report", results_, "--output", output_, "--interval", "tall"}).exit_code, 2);
}

TEST_F(ReportCommand, WritesAPageWithoutAManifest) {
  const ProgramRun run = run_program({"report", results_, "--output", output_});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const std::string page = page_at(output_);
  EXPECT_TRUE(says(page, "The manifest cannot be read, so its title and tables are missing"));
  EXPECT_TRUE(says(page, "<title>minilm-small</title>"));
  EXPECT_TRUE(says(page, "<section id=\"tables\">"));  // of all metrics
}

/// Metrics of the done trials of a system.
struct MetricsOfSystem {
  std::vector<double> auprc, accuracy;
};

double mean_of_values(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Half of Student's interval of the mean of three or five values.
double half_interval(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += std::pow(value - mean_of_values(values), 2);
  const double number = static_cast<double>(values.size()), quantile = values.size() == 3 ? 4.302653 : 2.776445;
  return quantile * std::sqrt(squares / (number - 1) / number);
}

/// The numbers of the page's headline are those of the reports of trials.
TEST_F(ReportCommand, BeginsWithTheBestSetting) {
  std::filesystem::remove_all(folder_ / "results");
  MadeUpStudy made_up;
  made_up.systems = {"ent", "simcse"};
  made_up.steps = 20;
  made_up.pairs = 151;
  write_made_up_study(folder_.path(), made_up);
  write_manifest(manifest);
  ASSERT_EQ(run_program({"report", results_, "--output", output_}).exit_code, 0);
  std::map<std::string, MetricsOfSystem> of_system;
  for (const StudyTrial& trial : read_study(results_).trials) {
    if (trial.planned.stage != "final" || trial.status != TrialStatus::done) continue;
    const auto tasks = nlohmann::json::parse(page_at(trial.folder / "report.json")).at("tasks");
    MetricsOfSystem& metrics = of_system[trial.planned.coordinates.at(0).second];
    metrics.auprc.push_back(tasks.at("dev").at("auprc"));
    metrics.accuracy.push_back(tasks.at("snli").at("accuracy"));
  }
  ASSERT_EQ(of_system["ent"].auprc.size(), 5u);
  ASSERT_EQ(of_system["simcse"].auprc.size(), 3u);
  const auto percent = [](double value) { return metric_value_text(value, Unit::fraction); };
  const double ent = mean_of_values(of_system["ent"].auprc), simcse = mean_of_values(of_system["simcse"].auprc);
  ASSERT_NE(percent(ent), percent(simcse)) << "the test needs a best setting";
  const std::string best = ent > simcse ? "ent" : "simcse";
  const double auprc = std::max(ent, simcse), half = half_interval(of_system[best].auprc);
  const std::string page = page_at(output_), headline = section_of(page, "headline");
  EXPECT_LT(page.find("version 0.4.0, commit 0123abc4567, trials ended on 2026-01-31 (UTC)."),
            page.find("<section id=\"headline\">"));
  EXPECT_LT(page.find("<section id=\"headline\">"), page.find("<section id=\"summary\">"));
  EXPECT_TRUE(says(headline, "Best setting: <strong>" + best));
  EXPECT_TRUE(says(headline, concat("by AUPRC of dev: <strong>", percent(auprc), " %</strong> (95% interval ",
                                    percent(auprc - half), " to ", percent(auprc + half), ", Student")));
  EXPECT_TRUE(says(headline, "accuracy of snli, %</th><td>" + percent(mean_of_values(of_system[best].accuracy))));
  EXPECT_TRUE(says(headline, "1 of 20 trials: choose ent 64 5e-5 seed 0. Cause of the first: the loss is not finite"));
}

/// Page, tables and status count the same trials, and no cell with one of them is bold.
TEST_F(ReportCommand, CountsUntrainedStates) {
  std::filesystem::remove_all(folder_ / "results");
  MadeUpStudy made_up;
  made_up.systems = {"ent", "ent+con", "simcse"};
  made_up.seeds = 4;
  made_up.steps = 20;
  made_up.pairs = 60;
  made_up.untrained_seed = 1;
  write_made_up_study(folder_.path(), made_up);
  write_manifest(manifest);
  const ProgramRun run = run_program({"report", results_, "--output", output_});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, output_ + ": 18 of 22 trials are done, 3 of these kept the untrained state\n");
  const std::string page = page_at(output_), mark = "\xE2\x80\xA1", tables = section_of(page, "tables");
  EXPECT_TRUE(
      says(section_of(page, "headline"),
           "<strong class=\"bad\">Untrained:</strong> 3 of 18 done trials kept the state before the first step"));
  EXPECT_TRUE(says(section_of(page, "headline"), "Training did not give the highest AUPRC of dev: "));
  EXPECT_TRUE(says(section_of(page, "summary"), "<dd>3 of the done</dd>"));
  EXPECT_EQ(count_of(tables, "</span><span>" + mark + "</span>"), 3u) << tables;
  EXPECT_EQ(count_of(tables, "<strong>"), 0u) << tables;
  EXPECT_TRUE(says(tables, "3 of 10 done trials kept the untrained state"));
  EXPECT_EQ(count_of(section_of(page, "trials"), "(done, untrained)"), 3u);
  EXPECT_TRUE(says(run_program({"status", results_}).output, "untrained: 3 of 18 done trials"));
  for (const char* format : {"text", "markdown", "latex"})
    EXPECT_TRUE(says(run_program({"tables", results_, "--format", format}).output,
                     "3 of 10 done trials kept the untrained state"));
  const auto json = nlohmann::json::parse(run_program({"tables", results_, "--format", "json"}).output);
  for (const auto& row : json["tables"][0]["cells"]) {
    EXPECT_EQ(row[0]["untrained"], 1);
    EXPECT_EQ(row[0]["best"], false);
  }
}

/// The page is written and names its missing parts, and so does standard error; the exit code is not 0.
TEST_F(ReportCommand, NamesWhatIsNotWhatWasWritten) {
  write_manifest(manifest);
  std::string other = manifest;
  other.replace(other.find("accuracies"), 10, "accuracias");
  write_bytes(folder_ / "results/manifest.yaml", other);
  ProgramRun run = run_program({"report", results_, "--output", output_});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_TRUE(says(run.errors, "manifest.yaml: damaged: it is not the manifest that plan.json was made from"));
  EXPECT_TRUE(says(page_at(output_), "manifest.yaml: damaged: "));
  EXPECT_FALSE(says(page_at(output_), "accuracias"));
  write_manifest(manifest);
  const StudyResults study = read_study(results_);
  const auto trial = std::find_if(study.trials.begin(), study.trials.end(),
                                  [](const StudyTrial& each) { return each.status == TrialStatus::done; });
  const std::filesystem::path file = trial->folder / "report.json";
  write_bytes(file, page_at(file) + " ");
  run = run_program({"report", results_, "--output", output_, "--overwrite"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.output, output_ + ": 13 of 18 trials are done\n");
  const std::string said = file.string() + ": damaged: it has changed since it was written";
  EXPECT_TRUE(says(run.errors, said));
  EXPECT_TRUE(says(page_at(output_), said));
}

TEST_F(ReportCommand, TellsOfATableThatCannotBeMade) {
  // The folder's plan knows no such stage: it is of another manifest.
  std::string other = manifest;
  for (std::size_t at = other.find("final"); at != std::string::npos; at = other.find("final", at))
    other.replace(at, 5, "gone");
  write_manifest(other);
  const ProgramRun run = run_program({"report", results_, "--output", output_});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(says(page_at(output_), "The table &quot;nli&quot; is missing: "));
}

TEST_F(ReportCommand, ReplacesNothingElse) {
  write_bytes(output_, "<html>mine</html>");
  const ProgramRun run = run_program({"report", results_, "--output", output_});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(says(run.errors, "--output " + output_ + " is there already: give another path, or --overwrite"));
  EXPECT_EQ(page_at(output_), "<html>mine</html>");
  EXPECT_EQ(run_program({"report", results_, "--output", folder_.path().string()}).exit_code, 2);
  EXPECT_EQ(run_program({"report", results_, "--output", (folder_ / "none/page.html").string()}).exit_code, 2);
}

TEST_F(ReportCommand, TellsWhatIsNoResultsFolder) {
  const ProgramRun run = run_program({"report", folder_.path().string(), "--output", output_});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(says(run.errors, "no results folder of a study"));
  EXPECT_FALSE(std::filesystem::exists(output_));
}

}  // namespace

}  // namespace gausscse
