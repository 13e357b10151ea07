#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "dist/group_work.hpp"
#include "inference/pair_evidence.hpp"
#include "inference/verdict.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/commands/score_probability.hpp"
#include "launcher/find_calibration.hpp"
#include "launcher/json_option.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/standard_output.hpp"
#include "results/json_report.hpp"

namespace gausscse {

namespace {

struct ScoreArguments {
  SentenceModelOptions model;
  DeviceOptions device;
  std::string pairs, json;
  ProbabilityOptions probability;
  double tolerance = similarity_tolerance;
  bool header = false;
  bool skip_bad_lines = false;
  ExistingFile existing = ExistingFile::refuse;
};

/// Returns every second row, from `first` on.
at::Tensor every_second(const at::Tensor& rows, std::int64_t first) {
  return rows.slice(0, first, rows.size(0), 2).contiguous();
}

constexpr const char* score_columns[] = {"sim(second||first)", "sim(first||second)", "verdict"};

std::string score_heading(const ProbabilityAnswers* answers) {
  return concat(score_columns[0], "\t", score_columns[1], "\t", score_columns[2], answers ? answers->heading() : "",
                "\n");
}

/// Returns a pair's line of output.
std::string score_line(const nlohmann::ordered_json& pair) {
  std::string line;
  for (const auto& [name, value] : pair.items()) {
    if (!line.empty()) line += '\t';
    char number[48];
    if (value.is_string()) {
      line += value.get_ref<const std::string&>();
    } else {
      std::snprintf(number, sizeof number, "%.6f", value.get<double>());
      line += number;
    }
  }
  return line + "\n";
}

/// Scores of all pairs as one JSON document, "gausscse-scores/1".
std::string scores_json(const ModelProperties& model, double tolerance, const ProbabilityAnswers* answers,
                        nlohmann::ordered_json pairs) {
  nlohmann::ordered_json json{{"format", "gausscse-scores/1"}, {"similarity", name_of(model.similarity)}};
  json["threshold"] = model.threshold ? nlohmann::ordered_json(*model.threshold) : nlohmann::ordered_json();
  json["tolerance"] = tolerance;
  if (answers) answers->add_to(json);
  json["pairs"] = std::move(pairs);
  return json.dump(1) + "\n";
}

int run_score(const ScoreArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  Communicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  const std::string& calibration_file_given = arguments.probability.calibration;
  std::vector<InputPath> inputs{{"MODEL", arguments.model.path}, {"PAIRS", arguments.pairs}};
  std::vector<std::filesystem::path> piped{arguments.pairs};
  if (!calibration_file_given.empty()) {
    inputs.push_back({"--calibration", calibration_file_given});
    piped.emplace_back(calibration_file_given);
  }
  run_on_root(communicator, [&] { check_report_file(arguments.json, inputs, arguments.existing); });
  keep_piped_inputs(piped, communicator);
  const ComputeDevice device = process.choose_device(arguments.device.request());
  LongOperation reading(communicator);
  SentenceModel model = open_logged_model(arguments.model, device.device, communicator, !common.quiet);
  SentenceFile file(arguments.pairs, {.sentences_of_line = 2,
                                      .bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error,
                                      .trim = model.properties.trim,
                                      .labelled = arguments.probability.labels});
  reading.end();
  if (communicator.size() > 1)
    check_agreement(communicator, model_and_inputs,
                    concat(model.agreement(), "PAIRS ", file.content_hash(), "\nbad lines ",
                           arguments.skip_bad_lines ? "skipped" : "refused", "\n"));
  warn_of_different_instructions(process.provenance(), encoder_of(*model.embedder));

  std::optional<ProbabilityAnswers> answers;
  if (arguments.probability.probability)
    run_on_root(communicator, [&] {
      answers.emplace(loaded_calibration(calibration_file_given, arguments.model.path, model), arguments.probability);
    });
  ProbabilityAnswers* const given_answers = answers ? &*answers : nullptr;  // ranks but 0 have none

  const bool printed = !is_standard_output(arguments.json);
  nlohmann::ordered_json reported = nlohmann::ordered_json::array();
  if (arguments.header && printed && communicator.is_root()) print_answer(score_heading(given_answers));
  embed_logged_file(arguments.pairs, file, model, process, !common.quiet, [&](const at::Tensor& embeddings) {
    std::vector<PairEvidence> pairs =
        evidence_of_rows(every_second(embeddings, 0), every_second(embeddings, 1), model.properties.similarity);
    std::string lines;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      PairEvidence& pair = pairs[i];
      pair.log_length_ratio = log_length_ratio_of(file.characters()[2 * i], file.characters()[2 * i + 1]);
      nlohmann::ordered_json columns{
          {score_columns[0], pair.forward},
          {score_columns[1], pair.backward},
          {score_columns[2], verdict_of(pair.forward, pair.backward, model.properties, arguments.tolerance)}};
      if (given_answers) {
        const auto label = file.labels().empty() ? std::nullopt : std::optional(file.labels()[i]);
        if (const char* answer = given_answers->answer(pair, label, columns)) columns[score_columns[2]] = answer;
      }
      if (printed) lines += score_line(columns);
      if (!arguments.json.empty()) reported.push_back(std::move(columns));
    }
    if (printed) print_answer(lines);
  });
  if (given_answers) given_answers->log_observed(arguments.pairs);
  if (!arguments.json.empty() && communicator.is_root())
    write_report(arguments.json,
                 scores_json(model.properties, arguments.tolerance, given_answers, std::move(reported)));
  return 0;
}

}  // namespace

void add_score_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<ScoreArguments>(
      app, action, "score",
      "print sim(second || first), sim(first || second) and the verdict of each pair, separated by "
      "tabs; a model that is not Gaussian gives one cosine for both",
      with_skip_advice(run_score));
  add_model_options(*command, arguments->model);
  add_prompt_options(*command, arguments->model.prompt);
  add_device_options(*command, arguments->device);
  command
      ->add_option("PAIRS", arguments->pairs,
                   "text file, two sentences per line, separated by a tab; either may be empty; -: standard input")
      ->required();
  command->add_flag("--header", arguments->header, "print the names of the columns first");
  command
      ->add_option("--tolerance", arguments->tolerance,
                   "similarities that differ by at most this count as equal; the verdict is then \"both\" if they "
                   "reach the model's threshold")
      ->capture_default_str()
      ->check(number_in(0.0, 1.0));
  add_probability_options(*command, arguments->probability);
  add_json_option(*command, arguments->json, "the scores");
  add_overwrite_option(*command, arguments->existing, "the file of --json");
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines,
                    "skip lines that are not two sentences in UTF-8 instead of stopping");
}

}  // namespace gausscse
