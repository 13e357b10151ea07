#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "dist/agreement.hpp"
#include "dist/root_work.hpp"
#include "experiments/evaluation/embed_sentences.hpp"
#include "experiments/evaluation/nli_task.hpp"
#include "experiments/results/json_report.hpp"
#include "experiments/results/metrics_table.hpp"
#include "experiments/results/test_name.hpp"
#include "launcher/commands/command.hpp"
#include "launcher/commands/saved_model_options.hpp"
#include "launcher/eval_tasks.hpp"
#include "launcher/process.hpp"
#include "launcher/reading_notes.hpp"

namespace gausscse {

namespace {

struct EvalArguments {
  SavedModelOptions model;
  std::string dev, json, threshold, two_way_pairs, no_gold_label, auprc;
  std::string tasks, pooling;
  std::vector<std::string> tests, own_dev;
  bool skip_bad_lines = false;
};

/// A set to evaluate on.
struct NamedSet {
  std::string name;
  NliTask::Role role;
  std::string file;
  /// For a dev set: the test set it is for, which is the next one; empty: for all.
  std::string own_dev_of = {};
};

/// NAME and FILE of an option's NAME=FILE.
std::pair<std::string, std::string> name_and_file(const char* option, const std::string& given) {
  const std::size_t equals = given.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(concat(option, " ", quoted(given), " has no name: give NAME=FILE"));
  const std::string name = given.substr(0, equals);
  if (!is_test_name(name)) throw InputError(concat(option, " ", quoted(given), ": the name is not ", test_name_rule));
  return {name, given.substr(equals + 1)};
}

/// Dev first, where it is given, then every test set, in the order of the flags.
std::vector<NamedSet> named_sets(const EvalArguments& arguments) {
  std::vector<NamedSet> sets;
  if (!arguments.dev.empty()) sets.push_back({"dev", NliTask::Role::dev, arguments.dev});
  for (const std::string& test : arguments.tests) {
    const auto [name, file] = name_and_file("--test", test);
    for (const NamedSet& other : sets)
      if (other.role == NliTask::Role::test && other.name == name)
        throw InputError(concat("two test sets are called ", quoted(name), ": give each its own name"));
    for (const std::string& own_dev : arguments.own_dev) {
      const auto [of, dev_file] = name_and_file("--own-dev", own_dev);
      if (of == name) sets.push_back({"dev of " + name, NliTask::Role::dev, dev_file, name});
    }
    sets.push_back({name, NliTask::Role::test, file});
  }
  if (sets.empty()) throw InputError("nothing to evaluate on: give --test NAME=FILE, or --dev FILE");
  return sets;
}

/// How a set was given, for messages.
std::string option_of(const NamedSet& set) {
  if (set.role == NliTask::Role::test) return "--test " + set.name;
  return set.own_dev_of.empty() ? "--dev" : "--own-dev " + set.own_dev_of;
}

/// As in the training, but for what the flags say.
NliScoring scoring_of(const EvalArguments& arguments, const ModelProperties& model) {
  std::map<std::string, std::string> words = model.evaluation;
  if (!arguments.threshold.empty()) words["threshold"] = arguments.threshold;
  if (!arguments.two_way_pairs.empty()) words["two_way_pairs"] = arguments.two_way_pairs;
  if (!arguments.no_gold_label.empty()) words["no_gold_label"] = arguments.no_gold_label;
  if (!arguments.auprc.empty()) words["auprc"] = arguments.auprc;
  return parse_scoring(words);
}

/// Every test set has one dev set of its own where thresholds come from those, and none has one where they do not.
void check_own_dev(const EvalArguments& arguments, const std::vector<NamedSet>& sets, const NliScoring& scoring) {
  const auto own_dev_sets = [&](const std::string& name) {
    return std::count_if(sets.begin(), sets.end(), [&](const NamedSet& set) { return set.own_dev_of == name; });
  };
  if (scoring.threshold == setting::Threshold::snli_dev) {
    if (arguments.own_dev.empty()) return;
    throw InputError("--own-dev is given, but thresholds come from dev, as in the training: add --threshold own_dev");
  }
  std::size_t used = 0;
  for (const NamedSet& set : sets) {
    if (set.role == NliTask::Role::dev) continue;
    ++used;
    if (own_dev_sets(set.name) != 1)
      throw InputError(concat("the test set ", quoted(set.name), " has ", own_dev_sets(set.name),
                              " dev sets of its own ",
                              "where thresholds come from those, as in the training or by --threshold: give --own-dev ",
                              set.name, "=FILE once, or --threshold snli_dev"));
  }
  if (used != arguments.own_dev.size())
    throw InputError("an --own-dev bears the name of no test set: its threshold would be used for nothing");
}

/// What is written must not be what is read.
void check_json(const EvalArguments& arguments, const std::vector<NamedSet>& sets) {
  std::vector<InputPath> inputs{{"MODEL_DIR", arguments.model.folder}};
  for (const NamedSet& set : sets) inputs.push_back({option_of(set), set.file});
  check_report_file("--json", arguments.json, inputs);
}

/// Which sets, and how they are read and scored, for `check_agreement`.
std::string agreement_text(const std::vector<NamedSet>& sets, const NliTaskSettings& settings) {
  std::string text;
  for (const NamedSet& set : sets) text += concat(option_of(set), " ", content_hash(set.file), "\n");
  for (const auto& [name, word] : to_words(settings.scoring)) text += concat(name, " ", word, "\n");
  return text + concat("bad lines ", settings.bad_lines == BadLines::skip ? "skipped" : "refused", "\n");
}

NliTask open_task(const NamedSet& set, const Tokenizer& tokenizer, NliTaskSettings settings) {
  // Of an own dev set nothing but the threshold is told, so that it need not tell two-way pairs.
  if (!set.own_dev_of.empty()) settings.scoring.two_way_pairs = setting::TwoWayPairs::keep;
  NliTask task(set.name, set.role, set.file, tokenizer, settings);
  spdlog::info("{}: {} pairs, {} without gold label", set.name, task.report().pairs, task.report().without_gold_label);
  tell_cut_sentences(set.name, task.sentences().cut_sentences(), static_cast<std::int64_t>(settings.max_tokens));
  tell_bad_lines(set.name, task.report());
  return task;
}

int run_eval_tasks(const EvalArguments& arguments, const CommonOptions& common) {
  Process process(common.process);
  start_log(process.communicator(), common.verbosity());
  eval_tasks({.model = {arguments.model.folder, arguments.pooling, arguments.model.precision},
              .tasks = arguments.tasks,
              .json = arguments.json},
             process);
  return 0;
}

int run_eval(const EvalArguments& arguments, const CommonOptions& common) {
  const std::vector<NamedSet> sets = named_sets(arguments);
  Process process(common.process);
  Communicator& communicator = process.communicator();
  start_log(communicator, common.verbosity());
  if (!arguments.json.empty()) run_on_root(communicator, [&] { check_json(arguments, sets); });
  SavedModelWithTokenizer model = open_saved_model(arguments.model);
  const NliTaskSettings settings{.similarity = model.properties.similarity,
                                 .scoring = scoring_of(arguments, model.properties),
                                 .bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error,
                                 .trim = model.properties.trim,
                                 .max_tokens = static_cast<std::size_t>(model.properties.max_tokens),
                                 .threads = process.threads()};
  check_agreement(communicator, model_and_inputs,
                  agreement_text(arguments.model, model) + agreement_text(sets, settings));

  check_own_dev(arguments, sets, settings.scoring);
  std::vector<NliTask> tasks;
  for (const NamedSet& set : sets) tasks.push_back(open_task(set, *model.tokenizer, settings));
  StateResult result;
  result.state = model.properties.state;
  result.step = model.properties.step;
  double threshold = model.properties.threshold, own_threshold = 0;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const bool own = i > 0 && sets[i - 1].own_dev_of == sets[i].name;
    TestResult of_set = tasks[i].evaluate(embed_sentences(*model.encoder, tasks[i].sentences(), communicator),
                                          own ? own_threshold : threshold);
    if (sets[i].role == NliTask::Role::test) {
      result.tests.push_back(std::move(of_set));
    } else if (!sets[i].own_dev_of.empty()) {
      own_threshold = of_set.metrics.threshold;
    } else {
      threshold = of_set.metrics.threshold;
      result.dev = of_set.metrics;
    }
  }
  if (!communicator.is_root()) return 0;
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
  command
      ->add_option("--test", arguments->tests, "NAME=FILE, a test set (SNLI, MNLI or SICK as distributed); repeatable")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--own-dev", arguments->own_dev,
                   "NAME=FILE, the set that the threshold of the test set NAME is chosen on; repeatable")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--threshold", arguments->threshold,
                   "where thresholds come from: dev, or each test set's own dev set (default: as in training)")
      ->check(CLI::IsMember({"snli_dev", "own_dev"}));
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
  CLI::Option* tasks = command->add_option(
      "--tasks", arguments->tasks,
      "instead of NLI sets: a YAML file of tasks, such as STS; MODEL_DIR may then be any Hugging Face folder");
  for (CLI::Option* option : command->get_options())
    for (const char* of_nli : {"--dev", "--test", "--own-dev", "--threshold", "--two-way-pairs", "--no-gold-label",
                               "--auprc", "--skip-bad-lines"})
      if (option->check_name(of_nli)) tasks->excludes(option);
  command
      ->add_option("--pooling", arguments->pooling,
                   "what of a sentence stands for it, for a folder that is not of a finished run")
      ->check(CLI::IsMember(words_of<PoolingKind>()))
      ->needs(tasks);
  command->callback([arguments, &action] {
    action = [arguments](const CommonOptions& common) {
      return arguments->tasks.empty() ? run_eval(*arguments, common) : run_eval_tasks(*arguments, common);
    };
  });
}

}  // namespace gausscse
