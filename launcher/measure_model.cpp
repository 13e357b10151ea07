#include "launcher/measure_model.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "base/shard_names.hpp"
#include "config/trial/task_map.hpp"
#include "dist/group_work.hpp"
#include "evaluation/mteb/scores.hpp"
#include "evaluation/nli/nli_detail_tables.hpp"
#include "evaluation/retrieval/hit_calibration.hpp"
#include "evaluation/task_list.hpp"
#include "launcher/find_calibration.hpp"
#include "launcher/loaded_model.hpp"
#include "launcher/measured_backbone.hpp"
#include "launcher/saved_calibration.hpp"
#include "launcher/standard_output.hpp"
#include "launcher/version.hpp"
#include "results/json_report.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

const TaskSettings* find_task(const std::vector<TaskSettings>& settings, const std::string& name) {
  const auto found =
      std::find_if(settings.begin(), settings.end(), [&](const TaskSettings& task) { return task.name == name; });
  return found == settings.end() ? nullptr : &*found;
}

void check_kind(const TaskSettings& task, const std::string& name) {
  const bool of_nli = std::holds_alternative<NliTaskSettings>(task.of_kind);
  if (!of_nli && !std::holds_alternative<StsTaskSettings>(task.of_kind))
    throw InputError(concat("--mteb-task ", task.name, "=", name, ": a task of kind ", name_of(kind_of(task)),
                            " is none of MTEB's, or measured in another way there: only sts and nli can be written"));
  if (of_nli && mteb::pairs_of_sts_task(name))
    throw InputError(concat("--mteb-task ", task.name, "=", name, ": the task is of kind nli, but MTEB's ", name,
                            " is one of sts: give the name of a pair classification"));
}

std::string data_revision(const TaskSettings& task) {
  std::string hashes = concat("kind ", name_of(kind_of(task)), "\n");
  for (const std::filesystem::path& file : content_files_of(task))
    hashes += concat(file.filename().string(), " ", content_hash(file), "\n");
  return "files-" + content_hash_of(hashes);
}

std::vector<std::string> names_at_mteb(const MtebNames& names) {
  std::vector<std::string> all;
  for (const auto& [task, name] : names) all.push_back(name);
  return all;
}

}  // namespace

MtebNames names_for_mteb(const MtebArguments& arguments, const std::vector<TaskSettings>& settings) {
  MtebNames names;
  if (arguments.folder.empty()) return names;
  for (const std::string& given : arguments.tasks) {
    const std::size_t equals = given.find('=');
    if (equals == std::string::npos) throw InputError(concat("--mteb-task ", quoted(given), ": give TASK=NAME"));
    const std::string task = given.substr(0, equals), name = given.substr(equals + 1);
    const TaskSettings* found = find_task(settings, task);
    if (!found) {
      std::vector<std::string> all;
      for (const TaskSettings& each : settings) all.push_back(each.name);
      throw InputError(concat("--mteb-task ", given, ": there is no task ", quoted(task), nearest_name(task, all)));
    }
    check_kind(*found, name);
    for (const auto& [other, other_name] : names)
      if (other_name == name || other == task)
        throw InputError(concat("--mteb-task ", given, ": ", quoted(other), " is ", other_name,
                                " already: each task has one name, and each name one task"));
    names.emplace(task, name);
  }
  return names;
}

void check_pairs_for_mteb(const MtebNames& names, const TaskList& tasks) {
  for (const ListedTask& listed : tasks) {
    const auto name = names.find(listed.task->name());
    if (name == names.end()) continue;
    const auto pairs = mteb::pairs_of_sts_task(name->second);
    if (pairs && *pairs != listed.pairs)
      throw InputError(concat("--mteb-task ", name->first, "=", name->second, ": MTEB's ", name->second, " has ",
                              *pairs, " pairs, but the task has ", listed.pairs, ", so its metrics are not those of ",
                              name->second, ": give the task all of its files, and no others, or another name"));
  }
}

void check_mteb_output(const MtebArguments& arguments, const std::vector<TaskSettings>& settings,
                       const std::string& report, ExistingFile existing) {
  const MtebNames names = names_for_mteb(arguments, settings);
  if (names.empty()) return;
  const auto revision = arguments.revision.empty() ? std::nullopt : std::optional(arguments.revision);
  mteb::check_results(arguments.folder, arguments.model, revision, names_at_mteb(names), existing);
  const std::filesystem::path results = mteb::folder_of_model(arguments.folder, arguments.model);
  if (!report.empty() && lies_in(report, results))
    throw InputError(concat("--json ", report, " lies among the results of --mteb-json, in ", results.string(),
                            ": give another path"));
}

mteb::ResultFolder folder_for_mteb(const MtebArguments& arguments, const MtebNames& names, const SentenceModel& model,
                                   ExistingFile existing) {
  const std::int64_t width = model.embedder->width();
  mteb::ModelDescription description{
      .name = arguments.model,
      .revision = arguments.revision.empty() ? content_hash_of(model.agreement()) : arguments.revision,
      .parameters = model.parameters,
      .embedding_parameters = model.embedding_parameters,
      .width = is_gaussian(model.properties.similarity) ? width / 2 : width,
      .cosine = !is_gaussian(model.properties.similarity)};
  if (model.max_tokens != no_limit_of_tokens) description.max_tokens = static_cast<std::int64_t>(model.max_tokens);
  return {arguments.folder, std::move(description), names_at_mteb(names), version(), existing};
}

std::vector<mteb::TaskScores> results_for_mteb(const MtebNames& names, const std::vector<TaskSettings>& settings,
                                               const std::vector<Measurement>& measurements) {
  std::vector<mteb::TaskScores> results;
  for (const Measurement& measured : measurements)
    if (const auto name = names.find(measured.task); name != names.end())
      results.push_back(
          {name->second, data_revision(*find_task(settings, measured.task)), measured.mteb_scores, measured.seconds});
  return results;
}

namespace {

NliScoring scoring_of(const MeasureArguments& arguments, const SentenceModel& model) {
  std::map<std::string, std::string> words = model.properties.evaluation;
  for (const auto& [name, word] : arguments.scoring) words[name] = word;
  return parse_scoring(words);
}

/// Returns the task without the places of its files: paths may differ from node to node.
TaskSettings without_paths(TaskSettings task) {
  for (std::filesystem::path* path : paths_of(task)) path->clear();
  return task;
}

/// Returns the settings and files that must be equal on all ranks besides the model, a line each.
std::string agreement_of(const std::vector<TaskSettings>& tasks, const NliScoring& scoring,
                         const MeasureArguments& arguments) {
  std::string text;
  for (const TaskSettings& task : tasks) {
    for (const std::filesystem::path& file : content_files_of(task))
      text += concat("task ", task.name, " ", file.filename().string(), " ", content_hash(file), "\n");
    text += concat("task ", task.name, " ", to_text(without_paths(task)), "\n");
  }
  for (const auto& [name, word] : to_words(scoring)) text += concat(name, " ", word, "\n");
  for (const std::string& name : arguments.layout.names()) text += concat("layout ", name, "\n");
  return text + concat("bad lines ", name_of(arguments.bad_lines), "\n");
}

/// Sets the calibrations by which tasks measure probabilities. They are the model's own, or the given one in its place.
/// The calibration of best hits is the given one, or the one that is fitted for `saved_calibration`.
void set_calibrations(const MeasureArguments& arguments, const SentenceModel& model, ReadingSettings& reading) {
  if (!arguments.calibration.empty())
    reading.hit_calibration =
        find_calibration(arguments.calibration, arguments.model.path, model, CalibrationUse::search);
  const bool of_pairs = reading.hit_calibration && !reading.hit_calibration->is_of_hits();
  reading.calibration =
      of_pairs ? reading.hit_calibration : find_calibration("", arguments.model.path, model, CalibrationUse::pairs);
  if (!arguments.saved_calibration.empty()) reading.hits_fitted_on = hits_fitted_on(arguments.tasks);
}

}  // namespace

void measure_model(const MeasureArguments& arguments, Process& process) {
  Communicator& communicator = process.communicator();
  run_on_root(communicator, [&] {
    std::vector<InputPath> inputs = arguments.inputs;
    inputs.push_back({"MODEL", arguments.model.path});
    if (!arguments.backbone.empty()) inputs.push_back({"--backbone", arguments.backbone});
    check_report_file(arguments.json, inputs, arguments.existing);
    if (!arguments.saved_calibration.empty())
      check_calibration_file(arguments.saved_calibration, arguments.tasks, inputs, arguments.existing);
    check_mteb_output(arguments.mteb, arguments.tasks, arguments.json, arguments.existing);
  });
  LongOperation reading(communicator);
  const SentenceModel model =
      open_logged_model(arguments.model, arguments.device, communicator, arguments.show_progress);
  const std::vector<TaskSettings> settings = arguments.complete(model);
  const NliScoring scoring = scoring_of(arguments, model);
  check_agreement(communicator, model_and_inputs, model.agreement() + agreement_of(settings, scoring, arguments));
  warn_of_different_instructions(process.provenance(), encoder_of(*model.embedder));
  const MtebNames mteb_names = names_for_mteb(arguments.mteb, settings);
  ReadingSettings reading_settings;
  reading_settings.threads = process.threads();
  reading_settings.scoring = scoring;
  reading_settings.bad_lines = arguments.bad_lines;
  reading_settings.layout = arguments.layout;
  reading_settings.mteb_scores = !mteb_names.empty();
  set_calibrations(arguments, model, reading_settings);
  const TaskList tasks = make_tasks(settings, model, reading_settings);
  std::optional<MeasuredBackbone> backbone =
      open_backbone({.folder = arguments.backbone, .tasks = arguments.complete, .reading = reading_settings},
                    arguments.model.path, model, communicator);
  reading.end();
  check_pairs_for_mteb(mteb_names, tasks);
  std::optional<mteb::ResultFolder> mteb_folder;
  if (!mteb_names.empty())
    run_on_root(communicator,
                [&] { mteb_folder.emplace(folder_for_mteb(arguments.mteb, mteb_names, model, arguments.existing)); });
  for (const TaskSettings& task : settings)
    if (const std::string missing = missing_shards_text(files_of(task)); !missing.empty())
      spdlog::warn("{}: {}", task.name, missing);
  for (const ListedTask& task : tasks) {
    for (const std::string& note : task.notes) spdlog::info(note);
    for (const std::string& warning : task.warnings) spdlog::warn(warning);
  }
  Notes notes;
  note_exceeded_limits(*model.tokenizer, model.max_tokens, cut_by_option, notes);
  log_notes(notes);
  StateResult result{model.properties.state, model.properties.step,
                     measure_tasks(
                         tasks, [](const ListedTask&) { return true; }, *model.embedder, communicator)};
  if (backbone) result.backbone = backbone->measure(communicator);
  if (!communicator.is_root()) return;
  if (!is_standard_output(arguments.json))
    print_text(measurement_table(result) +
               (arguments.details ? nli_detail_tables(result.tasks) + hit_tables(result.tasks) : ""));
  if (!arguments.json.empty()) write_report(arguments.json, json_report(result));
  if (!arguments.saved_calibration.empty()) write_calibration(arguments.saved_calibration, result.tasks, model);
  if (mteb_folder) {
    const std::int64_t now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    mteb_folder->write(results_for_mteb(mteb_names, settings, result.tasks), now);
    spdlog::info("results of {} tasks as MTEB writes them: {}", mteb_names.size(), mteb_folder->path().string());
  }
}

}  // namespace gausscse
