#include <nlohmann/json.hpp>

#include "base/content_hash.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"
#include "tests/experiments/tables/made_up_study.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

const std::string without_tables =
    "format: gausscse-manifest/1\n"
    "name: made-up\n"
    "defaults:\n"
    "  model: {backbone: {path: nowhere}}\n"
    "  data: {train: [nowhere.jsonl]}\n"
    "  tasks: {snli: {kind: nli, files: nowhere.jsonl}}\n"
    "axes:\n"
    "  loss: {ent: {objective.loss: ent}, ent+con: {objective.loss: ent+con}}\n"
    "stages:\n"
    "  final: {grid: {loss: all}, seeds: [0, 1]}\n";

const std::string with_tables = without_tables +
                                "tables:\n"
                                "  accuracy:\n"
                                "    title: First\n"
                                "    rows: [loss]\n"
                                "    figures: [{figure: snli.accuracy, title: acc., dataset: snli, metric: acc}]\n"
                                "    compare: loss\n"
                                "    cut: true\n"
                                "    paper: {source: v2, table: \"1\", columns: {loss: loss}}\n"
                                "  direction:\n"
                                "    title: Second\n"
                                "    rows: [loss]\n"
                                "    figures: [snli.direction_sim]\n";

/// A results folder with three of four trials done, or all; there is neither data nor a model.
class TablesCommand : public testing::Test {
 protected:
  void write(const std::string& manifest, bool all_done = false) {
    std::filesystem::create_directories(results());
    std::vector<StudyTrial> trials;
    trials.push_back(trial_with_items(results(), {{"loss", "ent"}}, 0, std::string(4, '1') + std::string(8, '0')));
    trials.push_back(all_done
                         ? trial_with_items(results(), {{"loss", "ent"}}, 1, std::string(5, '1') + std::string(7, '0'))
                         : other_trial({{"loss", "ent"}}, 1, TrialStatus::planned));
    trials.push_back(trial_with_items(results(), {{"loss", "ent+con"}}, 0, std::string(12, '1')));
    trials.push_back(trial_with_items(results(), {{"loss", "ent+con"}}, 1, std::string(11, '1') + "0"));
    PlanFile plan{"made-up", content_hash_of(manifest), {}};
    for (const StudyTrial& trial : trials) plan.trials.push_back(trial.planned);
    write_plan(results() / study_layout::plan, plan);
    write_bytes(results() / study_layout::manifest, manifest);
  }

  std::filesystem::path results() const { return folder_.path() / "results"; }

  ProgramRun tables(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"tables", results().string()});
    return run_program(arguments);
  }

  TemporaryFolder folder_;
};

TEST_F(TablesCommand, PrintsAllTablesOfTheManifest) {
  write(with_tables);
  const ProgramRun run = tables({});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(says(run.output, "First, stage final\n\nloss"));
  EXPECT_TRUE(says(run.output, "\nent       33.33 (1 of 2)"));
  EXPECT_TRUE(says(run.output, "\nent+con  *95.83 ±5.89\n"));
  EXPECT_TRUE(says(run.output, "1 of 4 trials of the stage final is not done: final ent seed 1 (planned)."));
  EXPECT_TRUE(says(run.output,
                   "Metrics of 3 done trials are of the best state by the key select of the trial, after 40 steps.\n"));
  EXPECT_TRUE(says(run.output, "Second, stage final"));
}

TEST_F(TablesCommand, PrintsOneTableWithIntervals) {
  write(with_tables);
  const ProgramRun run = tables({"--table", "direction", "--format", "json", "--interval", "wilson"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  const nlohmann::json document = nlohmann::json::parse(run.output);
  ASSERT_EQ(document.at("tables").size(), 1u);
  EXPECT_EQ(document.at("tables")[0].at("name"), "direction");
  EXPECT_TRUE(document.at("tables")[0].at("cells")[0][0].at("low").is_number());
}

TEST_F(TablesCommand, WritesJsonAsWell) {
  write(with_tables);
  const std::string text = tables({}).output, as_json = tables({"--format", "json"}).output;
  EXPECT_EQ(tables({"--json", "-"}).output, as_json);
  const std::string file = (folder_ / "tables.json").string();
  EXPECT_EQ(tables({"--json", file}).output, text);
  EXPECT_EQ(read_whole_file(file, 1 << 20), as_json);
  write_bytes(file, "{\"format\": \"mine\"}");
  const ProgramRun refused = tables({"--json", file});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(says(refused.errors, "--json " + file + " is there already"));
  EXPECT_EQ(read_whole_file(file, 1 << 20), "{\"format\": \"mine\"}");
  EXPECT_EQ(tables({"--json", file, "--overwrite"}).exit_code, 0);
  EXPECT_EQ(read_whole_file(file, 1 << 20), as_json);
}

TEST_F(TablesCommand, CorrectsTestsAndLeavesOutThePaper) {
  write(with_tables, true);
  const ProgramRun plain = tables({"--format", "json", "--table", "accuracy"});
  ASSERT_EQ(plain.exit_code, 0) << plain.errors;
  const nlohmann::json cell = nlohmann::json::parse(plain.output).at("tables")[0].at("cells")[0][0];
  EXPECT_NEAR(cell.at("tests")[0].at("seeds")[0].at("p").get<double>(), 2.0 / 256, 1e-15);
  // Over seeds 4 and 5 of 12 against 12 and 11: t = 7 sqrt(2) of two degrees of freedom.
  EXPECT_NEAR(cell.at("tests")[0].at("p").get<double>(), 1 - 7 * std::sqrt(2.0) / 10, 1e-12);
  EXPECT_TRUE(says(tables({"--table", "accuracy"}).output, "\nent+con  *95.83 ±5.89 †"));
  EXPECT_TRUE(cell.at("tests")[0].contains("holm_p"));
  EXPECT_TRUE(says(plain.output, "table 1 of v2"));
  const ProgramRun run = tables({"--format", "json", "--table", "accuracy", "--uncorrected", "--no-paper"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_FALSE(nlohmann::json::parse(run.output).at("tables")[0].at("cells")[0][0].at("tests")[0].contains("holm_p"));
  EXPECT_FALSE(says(run.output, "v2"));
}

TEST_F(TablesCommand, HasATableForStudiesThatNameNone) {
  write(without_tables);
  const ProgramRun run = tables({"--format", "csv"});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_TRUE(says(run.output, "table,stage,axis.loss,figure,"));
  EXPECT_TRUE(says(run.output, "\r\nall,final,ent,snli.accuracy,snli.accuracy,fraction,mean,0.3333333333333333,,1,1,"));
  EXPECT_TRUE(says(run.output, "\r\nall,final,ent+con,snli.threshold,"));
  EXPECT_TRUE(says(tables({"--table", "all"}).errors, "names no tables"));
}

TEST_F(TablesCommand, WritesANewFile) {
  write(with_tables);
  const std::filesystem::path file = folder_ / "table.tex";
  const ProgramRun run = tables({"--format", "latex", "--output", file.string()});
  ASSERT_EQ(run.exit_code, 0) << run.errors;
  EXPECT_EQ(run.output, "");
  EXPECT_EQ(read_whole_file(file, 1 << 20), tables({"--format", "latex"}).output);
  const ProgramRun again = tables({"--format", "text", "--output", file.string()});
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_TRUE(says(again.errors, "--output " + file.string() + " is there already: give another path, or --overwrite"));
  EXPECT_TRUE(says(read_whole_file(file, 1 << 20), "\\begin{tabular}"));
  EXPECT_EQ(tables({"--output", file.string(), "--overwrite"}).exit_code, 0);
  EXPECT_EQ(read_whole_file(file, 1 << 20), tables({}).output);
  EXPECT_EQ(tables({"--output", (folder_ / "missing" / "x").string()}).exit_code, 2);
}

/// In each file that the table is made of another digit or bit, in each format: the seed is left out and named.
TEST_F(TablesCommand, NamesATrialWhoseFilesAreNotWhatWasWritten) {
  write(with_tables);
  const std::filesystem::path done =
      study_layout::done_folder(results(), read_study(results()).trials.at(3).planned.identity);
  for (const char* name : {"run.json", "report.json", "result.h5"}) {
    const std::string whole = read_whole_file(done / name, 1 << 20);
    std::string changed = whole;
    const std::size_t byte = std::string(name) == "report.json" ? whole.find("0.91666") + 3 : whole.size() / 2;
    changed[byte] = static_cast<char>(changed[byte] ^ 1);
    write_bytes(done / name, changed);
    for (const char* format : {"text", "csv", "json", "latex", "markdown"}) {
      const ProgramRun run = tables({"--format", format, "--table", "accuracy"});
      EXPECT_EQ(run.exit_code, 1) << format;
      EXPECT_TRUE(says(run.errors, "gausscse: warning: final ent+con seed 1 is left out: ")) << format;
      EXPECT_TRUE(says(run.errors, (done / name).string())) << format;
      EXPECT_FALSE(run.output.empty()) << format;
      if (format == std::string("csv")) {
        EXPECT_TRUE(says(run.output, "accuracy,final,ent+con,snli.accuracy,acc.,fraction,mean,1,,1,1,")) << name;
      }
    }
    write_bytes(done / name, whole);
  }
  EXPECT_EQ(tables({}).exit_code, 0);
}

/// The cells of a table come from report.json.
TEST_F(TablesCommand, WarnsOnceOfReportsWithoutAHash) {
  write(with_tables);
  EXPECT_EQ(tables({}).errors, "");
  const std::filesystem::path done =
      study_layout::done_folder(results(), read_study(results()).trials.at(3).planned.identity);
  RunRecord run = read_run_record(done / study_layout::run_record);
  run.report_hash.clear();
  write_run_record(done / study_layout::run_record, run);
  const ProgramRun warned = tables({});
  EXPECT_EQ(warned.exit_code, 0);
  EXPECT_EQ(warned.errors, "gausscse: warning: " + (done / "report.json").string() +
                               ": of an earlier version, which wrote no hash: damage that changes only values cannot "
                               "be detected: compare with a copy, or run the trial again\n");
}

TEST_F(TablesCommand, RefusesAPlanOrManifestThatIsNotWhatWasWritten) {
  write(with_tables);
  std::string manifest = with_tables;
  manifest.replace(manifest.find("[snli.direction_sim]"), 20, "[snli.direction_var]");
  write_bytes(results() / study_layout::manifest, manifest);
  ProgramRun run = tables({"--format", "csv"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.output, "");
  EXPECT_TRUE(says(run.errors, "manifest.yaml: damaged: it is not the manifest that plan.json was made from"));
  write_bytes(results() / study_layout::manifest, with_tables);
  ASSERT_EQ(tables({}).exit_code, 0);
  std::string plan = read_whole_file(results() / study_layout::plan, 1 << 20);
  plan.replace(plan.find("\"ent+con\""), 9, "\"ent+com\"");
  write_bytes(results() / study_layout::plan, plan);
  for (const char* command : {"tables", "status", "report", "index"}) {
    run = run_program({command, results().string()});
    EXPECT_EQ(run.exit_code, 2) << command;
    EXPECT_EQ(run.output, "") << command;
    EXPECT_TRUE(says(run.errors, "plan.json: damaged: it has changed since it was written")) << command;
  }
}

TEST_F(TablesCommand, RefusesWhatItDoesNotKnow) {
  write(with_tables);
  const auto refusal = [&](const std::vector<std::string>& arguments) {
    const ProgramRun run = tables(arguments);
    EXPECT_EQ(run.exit_code, 2);
    EXPECT_EQ(run.output, "");
    return run.errors;
  };
  EXPECT_TRUE(says(refusal({"--table", "acuracy"}), "did you mean \"accuracy\"? (its tables: accuracy, direction)"));
  EXPECT_TRUE(says(refusal({"--format", "tex"}),
                   "--format: \"tex\" is not known, did you mean \"text\"? (known: text, markdown, "));
  EXPECT_TRUE(says(refusal({"--interval", "wilsons"}), "did you mean \"wilson\""));
  std::filesystem::remove(results() / study_layout::plan);
  EXPECT_TRUE(says(refusal({}), "no results folder of a study"));
}

}  // namespace
}  // namespace gausscse
