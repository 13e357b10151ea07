#include "tests/experiments/study/sample_study.hpp"

#include "base/content_hash.hpp"
#include "experiments/study/study_layout.hpp"
#include "experiments/study/study_records.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

namespace fs = std::filesystem;

Measurement nli_measurement(const std::string& task, const std::vector<std::uint8_t>& right) {
  std::vector<float> forward, backward, log_std_premise, log_std_hypothesis;
  std::vector<std::uint8_t> label;
  double correct = 0, directed = 0, correct_directions = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const bool entailed = i % 2 == 0, correct_item = right[i] != 0;
    label.push_back(entailed ? 0 : 1);
    forward.push_back(entailed == correct_item ? 0.75f : 0.25f);
    backward.push_back(forward.back() + (correct_item ? -0.125f : 0.125f));
    log_std_premise.push_back(correct_item ? 1.0f : 2.0f);
    log_std_hypothesis.push_back(1.5f);
    correct += correct_item;
    directed += entailed;
    correct_directions += entailed && correct_item;
  }
  const double direction = correct_directions / directed;
  return {task,
          "nli",
          false,
          {{"pairs", static_cast<double>(right.size()), Unit::count},
           {"accuracy", correct / static_cast<double>(right.size())},
           {"threshold", 0.5, Unit::number},
           {"directed_pairs", directed, Unit::count},
           {"direction_sim", direction},
           {"direction_var", 1 - direction}},
          {{"sim_hypothesis_premise", forward},
           {"sim_premise_hypothesis", backward},
           {"log_std_premise", log_std_premise},
           {"log_std_hypothesis", log_std_hypothesis},
           {"label", label},
           {"entails_both_ways", std::vector<std::uint8_t>(right.size(), 0)}},
          ""};
}

RunResult result_of(std::vector<Measurement> tasks, const std::string& configuration) {
  RunResult result;
  result.configuration = configuration;
  result.provenance.version = "1.2.3";
  result.provenance.commit = "0123abc";
  result.provenance.hosts = {"one"};
  result.training = {.step = {0, 1, 2, 3},
                     .loss = {1, 0.75, 0.5, 0.25},
                     .learning_rate = {1, 1, 1, 1},
                     .gradient_norm = {1, 1, 1, 1},
                     .examples_per_second = {1, 1, 1, 1},
                     .tokens_per_second = {1, 1, 1, 1}};
  result.states = {{.state = "best", .step = 40, .tasks = std::move(tasks)}};
  return result;
}

void write_done_trial(const fs::path& results, const std::string& identity, const RunResult& result, double seconds) {
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
  run.seconds = seconds;
  write_run_record(folder / study_layout::run_record, run);
}

std::vector<PlannedTrial> sample_trials() {
  const auto final_trial = [](const char* system, std::int64_t seed, const char* identity) {
    return PlannedTrial{"final", {{"system", system}, {"training.batch_size", "16"}}, seed, identity, ""};
  };
  return {{"choose", {{"training.batch_size", "16"}}, 0, "a0", ""},
          {"choose", {{"training.batch_size", "32"}}, 0, "a1", ""},
          final_trial("ent", 0, "a0"),
          final_trial("ent", 1, "b1"),
          final_trial("simcse", 0, "c0"),
          final_trial("simcse", 1, "c1"),
          final_trial("simcse", 2, "c2"),
          final_trial("simcse", 3, "c3"),
          {"last", {}, 7, "", "the stage final"}};
}

void write_sample_study(const fs::path& results) {
  fs::create_directories(results);
  write_plan(results / study_layout::plan, {"sample", "00", sample_trials()});
  Measurement dev = nli_measurement("dev", {1, 1, 1, 0});
  dev.development = true;
  Measurement sts{"sts12", "sts", false, {{"spearman", 0.75}, {"spearman.MSRpar", 0.5}}, {}, "partial, without MSRvid"};
  write_done_trial(results, "a0",
                   result_of({dev, nli_measurement("snli", {1, 0, 1, 1}), nli_measurement("mnli", {0, 0, 1, 1}), sts}),
                   10.5);
  sts.metrics[0].value = std::nan("");
  Measurement snli = nli_measurement("snli", {1, 0, 0, 1});
  write_done_trial(results, "b1", result_of({dev, snli, sts}), 20);

  for (const char* folder : {study_layout::failed, study_layout::claims, study_layout::unfinished})
    fs::create_directories(results / folder);
  FailureRecord failure;
  failure.reason = "exit code 2";
  write_failure_record(study_layout::failure_file(results, "a1"), failure);
  fs::create_directories(results / study_layout::unfinished / "a1.1");
  write_bytes(results / study_layout::claims / "c0.10", "");
  for (const char* folder : {"c0.9", "c0.10", "c1.2", "c1.11"})
    fs::create_directories(results / study_layout::unfinished / folder);
  write_done_trial(results, "c2", result_of({snli}), 5);
  const fs::path damaged = study_layout::done_folder(results, "c2") / study_layout::result;
  fs::resize_file(damaged, fs::file_size(damaged) - 1);
}

}  // namespace gausscse
