#include <spdlog/spdlog.h>

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "experiments/evaluation/embed_sentences.hpp"
#include "experiments/evaluation/nli_task.hpp"
#include "experiments/results/json_report.hpp"
#include "experiments/results/metrics_table.hpp"
#include "experiments/results/test_name.hpp"
#include "launcher/commands/command.hpp"
#include "launcher/process.hpp"
#include "launcher/saved_model_options.hpp"

namespace gausscse {

namespace {

struct EvalArguments {
  SavedModelOptions model;
  std::string dev, snli, mnli, sick, json, two_way_pairs, no_gold_label, auprc;
  std::vector<std::string> tests;
  bool skip_bad_lines = false;
};

/// Name and file of every test set, in the order of the flags.
std::vector<std::pair<std::string, std::string>> test_sets(const EvalArguments& arguments) {
  std::vector<std::pair<std::string, std::string>> sets;
  if (!arguments.snli.empty()) sets.emplace_back("snli", arguments.snli);
  if (!arguments.mnli.empty()) sets.emplace_back("mnli", arguments.mnli);
  if (!arguments.sick.empty()) sets.emplace_back("sick", arguments.sick);
  for (const std::string& test : arguments.tests) {
    const std::size_t equals = test.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError(concat("--test ", quoted(test), " has no name: give NAME=FILE"));
    if (!is_test_name(test.substr(0, equals)))
      throw InputError(concat("--test ", quoted(test), ": the name is not ", test_name_rule));
    sets.emplace_back(test.substr(0, equals), test.substr(equals + 1));
  }
  for (std::size_t i = 0; i < sets.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (sets[i].first == sets[k].first)
        throw InputError(concat("two test sets are called ", quoted(sets[i].first), ": give each its own name"));
  return sets;
}

/// As in the training, but for what the flags say.
NliScoring scoring_of(const EvalArguments& arguments, const ModelProperties& model) {
  std::map<std::string, std::string> words = model.evaluation;
  if (!arguments.two_way_pairs.empty()) words["two_way_pairs"] = arguments.two_way_pairs;
  if (!arguments.no_gold_label.empty()) words["no_gold_label"] = arguments.no_gold_label;
  if (!arguments.auprc.empty()) words["auprc"] = arguments.auprc;
  return parse_scoring(words);
}

int run_eval(const EvalArguments& arguments, const CommonOptions& common) {
  const auto sets = test_sets(arguments);
  if (sets.empty() && arguments.dev.empty())
    throw InputError("nothing to evaluate on: give --dev, --snli, --mnli, --sick or --test NAME=FILE");
  Process process(common.process);
  start_log(process.communicator(), common.verbosity());
  const SavedModelWithTokenizer model = open_saved_model(arguments.model);
  const NliTaskSettings settings{.similarity = model.properties.similarity,
                                 .scoring = scoring_of(arguments, model.properties),
                                 .bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error,
                                 .max_tokens = static_cast<std::size_t>(model.properties.max_tokens),
                                 .threads = process.threads()};

  const auto evaluate = [&](const std::string& name, NliTask::Role role, const std::string& file, double threshold) {
    const NliTask task(name, role, file, *model.tokenizer, settings);
    spdlog::info("{}: {} pairs, {} without gold label, {} bad lines left out", name, task.report().pairs,
                 task.report().without_gold_label, task.report().bad_lines);
    return task.evaluate(embed_sentences(*model.encoder, task.sentences(), process.communicator()), threshold);
  };
  StateResult result;
  result.state = "saved";
  result.dev.threshold = model.properties.threshold;
  if (!arguments.dev.empty()) result.dev = evaluate("dev", NliTask::Role::dev, arguments.dev, 0).metrics;
  for (const auto& [name, file] : sets)
    result.tests.push_back(evaluate(name, NliTask::Role::test, file, result.dev.threshold));
  if (!process.communicator().is_root()) return 0;
  std::fputs(metrics_table(result).c_str(), stdout);
  if (!arguments.json.empty()) write_file_atomically(arguments.json, json_report(result));
  return 0;
}

}  // namespace

void add_eval_command(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<EvalArguments>();
  CLI::App* command = app.add_subcommand("eval", "evaluate a saved model; under mpirun on all ranks");
  add_saved_model_options(*command, arguments->model);
  command->add_option("--dev", arguments->dev, "set the threshold is chosen on (default: the saved threshold)");
  command->add_option("--snli", arguments->snli, "SNLI test set");
  command->add_option("--mnli", arguments->mnli, "MNLI test set");
  command->add_option("--sick", arguments->sick, "SICK test set");
  command->add_option("--test", arguments->tests, "NAME=FILE, another set in SNLI's layout")->take_all()->expected(1);
  command
      ->add_option("--two-way-pairs", arguments->two_way_pairs,
                   "pairs that entail both ways, for direction (default: as in training)")
      ->check(CLI::IsMember({"keep", "drop"}));
  command
      ->add_option("--no-gold-label", arguments->no_gold_label, "pairs without a gold label (default: as in training)")
      ->check(CLI::IsMember({"non_entailment", "drop"}));
  command->add_option("--auprc", arguments->auprc, "how the area is summed (default: as in training)")
      ->check(CLI::IsMember({"trapezoid", "sweep"}));
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines, "leave bad lines out instead of stopping");
  command->add_option("--json", arguments->json, "write the printed figures to this file, too");
  command->callback([arguments, &action] {
    action = [arguments](const CommonOptions& common) { return run_eval(*arguments, common); };
  });
}

}  // namespace gausscse
