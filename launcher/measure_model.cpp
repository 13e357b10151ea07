#include "launcher/measure_model.hpp"

#include <spdlog/spdlog.h>

#include <chrono>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "config/trial/task_map.hpp"
#include "dist/agreement.hpp"
#include "dist/root_work.hpp"
#include "dist/slow_work.hpp"
#include "evaluation/task_list.hpp"
#include "launcher/instructions_note.hpp"
#include "launcher/model_in_use.hpp"
#include "launcher/standard_output.hpp"
#include "results/json_report.hpp"
#include "results/measurement_table.hpp"

namespace gausscse {

namespace {

NliScoring scoring_of(const MeasureArguments& arguments, const SentenceModel& model) {
  std::map<std::string, std::string> words = model.properties.evaluation;
  for (const auto& [name, word] : arguments.scoring) words[name] = word;
  return parse_scoring(words);
}

/// Returns the same task of files that lie nowhere: their paths may differ from node to node.
TaskSettings without_paths(TaskSettings task) {
  std::visit(
      [](auto& of_kind) {
        if constexpr (requires { of_kind.files; })
          of_kind.files.clear();
        else if constexpr (requires { of_kind.folder; })
          of_kind.folder.clear();
        else
          of_kind.file.clear();
      },
      task.of_kind);
  return task;
}

/// Returns what the ranks must have in common besides the model, a line each.
std::string agreement_of(const std::vector<TaskSettings>& tasks, const NliScoring& scoring, BadLines bad_lines) {
  std::string text;
  for (const TaskSettings& task : tasks) {
    for (const std::filesystem::path& file : content_files_of(task))
      text += concat("task ", task.name, " ", file.filename().string(), " ", content_hash(file), "\n");
    text += concat("task ", task.name, " ", to_text(without_paths(task)), "\n");
  }
  for (const auto& [name, word] : to_words(scoring)) text += concat(name, " ", word, "\n");
  return text + concat("bad lines ", name_of(bad_lines), "\n");
}

}  // namespace

void measure_model(const MeasureArguments& arguments, Process& process) {
  Communicator& communicator = process.communicator();
  run_on_root(communicator, [&] {
    std::vector<InputPath> inputs = arguments.inputs;
    inputs.push_back({"MODEL", arguments.model.path});
    if (!arguments.json.empty()) check_report_file("--json", arguments.json, inputs);
    check_mteb_output(arguments.mteb, arguments.tasks, arguments.json);
  });
  SlowWork reading(communicator);
  const SentenceModel model =
      open_logged_model(arguments.model, arguments.device, communicator, arguments.show_progress);
  const std::vector<TaskSettings> settings = arguments.complete(model);
  const NliScoring scoring = scoring_of(arguments, model);
  check_agreement(communicator, model_and_inputs,
                  model.agreement + agreement_of(settings, scoring, arguments.bad_lines));
  tell_different_instructions(process.provenance(), encoder_of(*model.embedder));
  const MtebNames mteb_names = names_for_mteb(arguments.mteb, settings);
  const TaskList tasks = make_tasks(settings, model,
                                    {.threads = process.threads(),
                                     .scoring = scoring,
                                     .bad_lines = arguments.bad_lines,
                                     .mteb_scores = !mteb_names.empty()});
  reading.end();
  check_pairs_for_mteb(mteb_names, tasks);
  std::optional<mteb::ResultFolder> mteb_folder;
  if (!mteb_names.empty())
    run_on_root(communicator, [&] { mteb_folder.emplace(folder_for_mteb(arguments.mteb, mteb_names, model)); });
  for (const ListedTask& task : tasks) {
    for (const std::string& note : task.notes) spdlog::info(note);
    for (const std::string& warning : task.warnings) spdlog::warn(warning);
  }
  Notes notes;
  note_unknown_tokens(*model.tokenizer, notes);
  note_exceeded_limits(*model.tokenizer, model.max_tokens, cut_by_option, notes);
  log_notes(notes);
  const StateResult result{model.properties.state, model.properties.step,
                           measure_tasks(
                               tasks, [](const ListedTask&) { return true; }, *model.embedder, communicator)};
  if (!communicator.is_root()) return;
  if (!is_standard_output(arguments.json)) print_text(measurement_table(result));
  if (!arguments.json.empty()) write_report(arguments.json, json_report(result));
  if (mteb_folder) {
    const std::int64_t now =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    mteb_folder->write(results_for_mteb(mteb_names, settings, result.tasks), now);
    spdlog::info("results of {} tasks as MTEB writes them: {}", mteb_names.size(), mteb_folder->path().string());
  }
}

}  // namespace gausscse
