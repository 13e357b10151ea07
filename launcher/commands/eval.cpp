#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/output_paths.hpp"
#include "base/process.hpp"
#include "config/schema/key_kinds.hpp"
#include "config/trial/task_map.hpp"
#include "launcher/calibration_option.hpp"
#include "launcher/command.hpp"
#include "launcher/command_input.hpp"
#include "launcher/commands/model_options.hpp"
#include "launcher/json_option.hpp"
#include "launcher/layout_option.hpp"
#include "launcher/libtorch_program.hpp"
#include "launcher/measure_model.hpp"
#include "launcher/named_set.hpp"
#include "launcher/overwrite_option.hpp"
#include "launcher/process.hpp"

namespace gausscse {

namespace {

struct EvalArguments {
  SentenceModelOptions model;
  DeviceOptions device;
  std::string dev, backbone, json, calibration, saved_calibration, two_way_pairs, no_gold_label, auprc;
  std::string tasks;
  MtebArguments mteb;
  CorpusLayout layout;
  std::vector<std::string> tests, own_dev, retrieval;
  bool skip_bad_lines = false, details = false;
  ExistingFile existing = ExistingFile::refuse;
};

/// Name of the task of --dev.
constexpr const char* dev_name = "dev";
/// Word for the threshold that the model was saved with.
constexpr const char* saved_threshold = "saved";

/// Returns test set and file of --own-dev NAME=FILE.
std::pair<std::string, std::filesystem::path> own_dev_of(const std::string& given) {
  if (given.find('=') == std::string::npos)
    throw InputError(concat("--own-dev ", quoted(given), " names no test set: give NAME=FILE"));
  return named_set("--own-dev", given);
}

TaskSettings nli_task(const std::string& name, const std::string& file, const std::string& threshold) {
  NliTaskSettings settings;
  settings.file = file;
  settings.threshold = threshold;
  return {name, 0, settings};
}

/// Returns dev first, where it is given, then every test set behind its own dev set, in the order of the flags.
/// Behind them come the retrieval sets.
std::vector<TaskSettings> tasks_of_flags(const EvalArguments& arguments) {
  std::vector<TaskSettings> tasks;
  std::size_t used = 0;
  const auto add = [&](TaskSettings task) {
    for (const TaskSettings& other : tasks)
      if (other.name == task.name)
        throw InputError(concat("two sets are called ", quoted(task.name), ": give each its own name"));
    tasks.push_back(std::move(task));
  };
  if (!arguments.dev.empty()) add(nli_task(dev_name, arguments.dev, own_threshold));
  for (const std::string& test : arguments.tests) {
    const auto [name, file] = named_set("--test", test);
    std::string threshold = arguments.dev.empty() ? saved_threshold : dev_name;
    for (const std::string& own_dev : arguments.own_dev) {
      const auto [of, dev_file] = own_dev_of(own_dev);
      if (of != name) continue;
      threshold = name + "_dev";
      TaskSettings dev = nli_task(threshold, dev_file, own_threshold);
      // It is there for its threshold, and need not say which of its pairs entail both ways.
      std::get<NliTaskSettings>(dev.of_kind).two_way_pairs = setting::TwoWayPairs::keep;
      add(std::move(dev));
      ++used;
    }
    add(nli_task(name, file, threshold));
  }
  for (const std::string& given : arguments.retrieval) {
    const auto [name, path] = named_set("--retrieval", given);
    add({name, 0, RetrievalTaskSettings{.path = path}});
  }
  if (tasks.empty())
    throw InputError(
        "nothing to evaluate on: give --test NAME=FILE, --dev FILE, --retrieval NAME=PATH or --tasks FILE; a NAME may "
        "be left out");
  if (used != arguments.own_dev.size())
    throw InputError("--own-dev names no set of --test: give it the name of a test set, or remove it");
  return tasks;
}

/// Returns `tasks` with the model's threshold in the place of its word.
std::vector<TaskSettings> with_saved_threshold(std::vector<TaskSettings> tasks, const SentenceModel& model) {
  for (TaskSettings& task : tasks) {
    auto* nli = std::get_if<NliTaskSettings>(&task.of_kind);
    if (!nli || nli->threshold != saved_threshold) continue;
    if (!model.properties.threshold)
      throw InputError(concat("the model has no threshold for the set ", quoted(task.name),
                              ": give --dev FILE or --own-dev ", task.name, "=FILE to choose one on"));
    nli->threshold = key_kinds::shortest(*model.properties.threshold);
  }
  return tasks;
}

std::vector<InputPath> inputs_of(const std::vector<TaskSettings>& tasks) {
  std::vector<InputPath> inputs;
  for (const TaskSettings& task : tasks)
    for (const std::filesystem::path& file : files_of(task)) inputs.push_back({"the set " + task.name, file});
  return inputs;
}

std::vector<std::filesystem::path> paths_of(const std::vector<InputPath>& inputs) {
  std::vector<std::filesystem::path> paths;
  for (const InputPath& input : inputs) paths.push_back(input.path);
  return paths;
}

void add_mteb_options(CLI::App& command, MtebArguments& arguments) {
  CLI::Option* folder = command.add_option(
      "--mteb-json", arguments.folder, "also write results in the format of mteb 2.x below this folder (docs/mteb.md)");
  CLI::Option* model =
      command.add_option("--mteb-model", arguments.model, "ORGANIZATION/MODEL: name of the model in MTEB's results");
  CLI::Option* tasks =
      command
          .add_option("--mteb-task", arguments.tasks,
                      "TASK=NAME: MTEB's name of a task (repeatable); tasks without one are not written")
          ->take_all()
          ->expected(1);
  folder->needs(model)->needs(tasks);
  model->needs(folder);
  tasks->needs(folder);
  command
      .add_option("--mteb-revision", arguments.revision,
                  "revision of the model in MTEB's results (default: a hash of its weights, tokenizer and precision)")
      ->needs(folder);
}

int run_eval(const EvalArguments& arguments, const CommonOptions& common) {
  continue_with_libtorch(common.process.command_line);
  const bool from_file = !arguments.tasks.empty();
  // Ranks of one job are refused their pipes below; here nobody knows yet how many there are.
  if (from_file && !rank_in_environment()) keep_piped_input(arguments.tasks);
  const std::vector<TaskSettings> tasks = from_file ? read_task_file(arguments.tasks) : tasks_of_flags(arguments);
  std::vector<InputPath> inputs = inputs_of(tasks);
  if (from_file) inputs.push_back({"--tasks", arguments.tasks});
  if (!arguments.calibration.empty()) inputs.push_back({"--calibration", arguments.calibration});
  std::map<std::string, std::string> scoring;
  for (const auto& [name, word] : {std::pair{"two_way_pairs", arguments.two_way_pairs},
                                   {"no_gold_label", arguments.no_gold_label},
                                   {"auprc", arguments.auprc}})
    if (!word.empty()) scoring.emplace(name, word);
  Process process(common.process);
  start_log(process.communicator(), common.verbosity());
  keep_piped_inputs(paths_of(inputs), process.communicator());
  const ComputeDevice device = process.choose_device(arguments.device.request());
  measure_model(
      {.model = arguments.model,
       .device = device.device,
       .show_progress = !common.quiet,
       .tasks = tasks,
       // In a file of tasks the word is the name of a task.
       .complete = [&](const SentenceModel& model) { return from_file ? tasks : with_saved_threshold(tasks, model); },
       .inputs = inputs,
       .scoring = scoring,
       .bad_lines = arguments.skip_bad_lines ? BadLines::skip : BadLines::error,
       .layout = arguments.layout,
       .backbone = arguments.backbone,
       .json = arguments.json,
       .details = arguments.details || !arguments.saved_calibration.empty() || !arguments.calibration.empty(),
       .calibration = arguments.calibration,
       .saved_calibration = arguments.saved_calibration,
       .existing = arguments.existing,
       .mteb = arguments.mteb},
      process);
  return 0;
}

}  // namespace

void add_eval_command(CLI::App& app, Action& action) {
  const auto [command, arguments] = add_command<EvalArguments>(
      app, action, "eval", "evaluate a saved model next to its backbone, any folder of an encoder, or word vectors",
      with_skip_advice(run_eval));
  add_model_options(*command, arguments->model);
  add_prompt_options(*command, arguments->model.prompt);
  add_device_options(*command, arguments->device);
  command
      ->add_option("--backbone", arguments->backbone,
                   "encoder that the model began with, measured next to it by the cosine of its pooled vectors; none: "
                   "measure none, in half the time (default: the one that the result of the model's run names)")
      ->type_name("FOLDER");
  command->add_option("--dev", arguments->dev, "set on which the threshold is chosen (default: the saved threshold)");
  command
      ->add_option("--test", arguments->tests,
                   "FILE or NAME=FILE: test set (SNLI, MNLI or SICK as distributed; repeatable)")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--own-dev", arguments->own_dev,
                   "NAME=FILE: set on which the threshold of the test set NAME is chosen (repeatable)")
      ->take_all()
      ->expected(1);
  command
      ->add_option(
          "--retrieval", arguments->retrieval,
          "PATH or NAME=PATH: set of queries and documents, a folder in BEIR's layout, SICK.txt or a file of NLI "
          "(repeatable)")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--two-way-pairs", arguments->two_way_pairs,
                   "keep pairs that entail both ways in direction metrics, or drop them (default: as in training)")
      ->check(one_of({"keep", "drop"}));
  command
      ->add_option("--no-gold-label", arguments->no_gold_label,
                   "count pairs without a gold label as no entailment, or drop them (default: as in training)")
      ->check(one_of({"non_entailment", "drop"}));
  command
      ->add_option("--auprc", arguments->auprc,
                   "how the area under precision and recall is summed (default: as in training)")
      ->check(one_of({"trapezoid", "sweep"}));
  command->add_flag("--skip-bad-lines", arguments->skip_bad_lines, "skip bad lines and count them instead of stopping");
  add_layout_options(*command, arguments->layout);
  command->add_flag("--details", arguments->details,
                    "also print tables of probabilities, if there is a calibration, and of directions by length; "
                    "--calibration and --save-calibration print them, too");
  add_json_option(*command, arguments->json);
  CLI::Option* const calibration = add_calibration_option(*command, arguments->calibration);
  command
      ->add_option("--save-calibration", arguments->saved_calibration,
                   "write the calibration that is fitted on --dev, or on the first task of its own threshold, for "
                   "`score --calibration`; without such a set the one of best hits that is fitted on the first "
                   "--retrieval, for `search --calibration` (docs/probabilities.md)")
      ->type_name("FILE")
      ->excludes(calibration);
  add_mteb_options(*command, arguments->mteb);
  add_overwrite_option(*command, arguments->existing,
                       "the file of --json or --save-calibration, or a result of --mteb-json,");
  CLI::Option* tasks = command->add_option(
      "--tasks", arguments->tasks, "YAML file with the `tasks` of a trial, instead of --dev, --test and --retrieval");
  for (CLI::Option* option : command->get_options())
    for (const char* of_set : {"--dev", "--test", "--own-dev", "--retrieval"})
      if (option->check_name(of_set)) tasks->excludes(option);
}

}  // namespace gausscse
