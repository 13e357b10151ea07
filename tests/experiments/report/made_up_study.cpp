#include "tests/experiments/report/made_up_study.hpp"

#include "base/content_hash.hpp"
#include "config/trial/trial.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"
#include "tests/experiments/report/made_up_result.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace fs = std::filesystem;

const std::string hostile_text =
    "<script>alert('x')</script>\" onload=\"x() \xE2\x80\xAE"
    "gnp.exe \x01\x1B[31m \xFF\xC0 &amp; </title></style> " +
    std::string(300, 'W');

namespace {

void write_made_up_trial(const fs::path& results, const std::string& identity, const RunResult& result,
                         std::int64_t batch_size) {
  const fs::path folder = study_layout::done_folder(results, identity);
  fs::create_directories(folder);
  write_result(folder / study_layout::result, result);
  write_bytes(folder / study_layout::report, json_report(kept_state(result)));
  RunRecord run;
  run.identity = identity;
  run.result_bytes = fs::file_size(folder / study_layout::result);
  run.result_hash = content_hash(folder / study_layout::result);
  run.report_hash = content_hash(folder / study_layout::report);
  run.steps = static_cast<std::int64_t>(result.training.step.size());
  run.step_seconds = 0.011 * static_cast<double>(batch_size * run.steps);
  run.seconds = run.step_seconds + 95;
  run.ranks = 1;
  run.threads = 2;
  run.peak_memory_bytes = 3'200'000'000;
  run.disk_bytes = 91'000'000;
  run.hosts = result.provenance.hosts;
  run.ended = "2026-01-31T12:00:00Z";
  write_run_record(folder / study_layout::run_record, run);
}

Trial trial_of_study(const fs::path& folder, const std::string& system, const std::string& batch_size,
                     const std::string& learning_rate, std::int64_t seed) {
  const std::string text = R"(format: gausscse-trial/2
model: {backbone: {path: model}}
data: {train: data/train.jsonl}
tasks:
  dev: {kind: nli, files: data/dev.jsonl, eval_every: 25}
  snli: {kind: nli, files: data/snli.jsonl, threshold: dev}
  sick: {kind: nli, files: data/sick.txt, threshold: dev}
  sts12: {kind: sts, files: [data/sts12]}
  tokens: {kind: geometry, files: [data/sts.csv], eval_every: 50}
select: {task: dev, figure: auprc}
output: out
)";
  std::vector<std::string> overrides = {"training.batch_size=" + batch_size, "training.learning_rate=" + learning_rate,
                                        "training.seed=" + std::to_string(seed)};
  if (system.starts_with("ent")) overrides.push_back("objective.loss=" + system);
  if (system == "simcse") overrides.push_back("recipe=simcse");
  return parse_trial(text, "made-up trial", folder, overrides);
}

std::string identity_of(std::size_t number) {
  std::string digits = std::to_string(number);
  return std::string(32 - digits.size(), '0') + digits;
}

}  // namespace

void write_made_up_study(const fs::path& folder, const MadeUpStudy& study) {
  const fs::path results = folder / "results";
  fs::create_directories(results);
  PlanFile plan{study.hostile ? hostile_text : "minilm-small", "00", {}};
  Noise noise(7);
  const auto add = [&](PlannedTrial planned) -> PlannedTrial& {
    planned.identity = identity_of(plan.trials.size() + 1);
    return plan.trials.emplace_back(std::move(planned));
  };
  const auto write = [&](const PlannedTrial& planned, const std::string& system, const std::string& batch,
                         const std::string& rate, double separation) {
    const Trial trial = trial_of_study(folder, system, batch, rate, planned.seed);
    const Quality quality{separation + 0.05 * noise.normal(), system != "simcse"};
    write_made_up_trial(results, planned.identity, made_up_result(trial, quality, study, folder, noise),
                        std::stol(batch));
  };
  for (const char* batch : {"16", "32", "64"}) {
    for (const char* rate : {"1e-5", "3e-5", "5e-5"}) {
      const PlannedTrial planned = add(
          {"choose", {{"system", "ent"}, {"training.batch_size", batch}, {"training.learning_rate", rate}}, 0, "", ""});
      // The last corner has failed.
      if (std::string(batch) + rate == "645e-5") {
        fs::create_directories(results / study_layout::failed);
        const std::string error = study.hostile ? hostile_text : "the loss is not finite at step 12";
        write_failure_record(study_layout::failure_file(results, planned.identity),
                             {"exit code 1",
                              error,
                              {"step 11 loss 9.1", "step 12 loss nan", error},
                              3,
                              61.5,
                              "node02",
                              "2026-01-30T09:00:00Z"});
        continue;
      }
      write(planned, "ent", batch, rate, 1.1 + 0.003 * std::stod(batch) + (rate[0] == '3' ? 0.15 : 0.0));
    }
  }
  for (std::size_t system = 0; system < study.systems.size(); ++system) {
    for (std::int64_t seed = 0; seed < study.seeds; ++seed) {
      const bool last = system + 1 == study.systems.size() && seed + 1 == study.seeds;
      const std::string name = study.hostile && system == 0 ? hostile_text : study.systems[system];
      const PlannedTrial& planned = add(
          {"final",
           {{"system", name}, {"training.batch_size", system % 2 ? "32" : "64"}, {"training.learning_rate", "3e-5"}},
           seed,
           "",
           ""});
      // The last two are on their way.
      if (last || (system + 1 == study.systems.size() && seed + 2 == study.seeds)) {
        if (last) {
          fs::create_directories(results / study_layout::claims);
          write_bytes(results / study_layout::claims / (planned.identity + ".1"), "");
        }
        continue;
      }
      write(planned, study.systems[system], system % 2 ? "32" : "64", "3e-5", 1.0 + 0.12 * static_cast<double>(system));
    }
  }
  plan.trials.push_back({"wide", {{"system", "ent"}}, 0, "", "the stage final"});
  write_plan(results / study_layout::plan, plan);
}

StudyTable made_up_table(const MadeUpStudy& study) {
  StudyTable table;
  table.name = "nli";
  table.title = study.hostile ? hostile_text : "NLI, mean of five seeds";
  table.row_axes = {"system"};
  table.column_labels = {{"bert-base", "accuracy"}, {"bert-base", "AUPRC"}, {"roberta-base", "accuracy"}};
  table.column_units = {Unit::fraction, Unit::fraction, Unit::fraction};
  table.compare = "system";
  for (std::size_t row = 0; row < study.systems.size(); ++row) {
    table.row_labels.push_back({study.hostile && row == 0 ? hostile_text : study.systems[row]});
    std::vector<TableCell>& cells = table.cells.emplace_back();
    for (std::size_t column = 0; column < 3; ++column) {
      TableCell& cell = cells.emplace_back();
      cell.value = 0.70 + 0.02 * static_cast<double>(row) + 0.03 * static_cast<double>(column);
      cell.deviation = 0.0031;
      cell.count = 5;
      cell.best = row + 1 == study.systems.size();
      cell.text = std::to_string(70 + 2 * row + 3 * column) + ".12";
      if (column == 0) cell.paper = 0.7123;
    }
  }
  TableCell& best = table.cells.back()[0];
  CellTest test;
  test.rival = "ent";
  test.seeds = {{0, 30, 10, 0.01}, {1, 11, 2, 0.2}};
  test.sum = {{}, 41, 12};
  test.low = 0.01;
  test.high = 0.05;
  test.bootstrap_p = 0.00031;
  test.seeds_p = test.p = 0.0042;
  test.significant = true;
  best.tests = {test};
  table.cells.front()[2] = TableCell{};
  table.cells.front()[2].missing = 5;
  table.cells.front()[2].text = "-";
  table.cells.front()[1].missing = 2;
  table.cells.front()[1].count = 3;
  table.notes = {"1 of 25 trials is not done."};
  return table;
}

}  // namespace gausscse
