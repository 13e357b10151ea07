#include "launcher/eval_tasks.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/output_paths.hpp"
#include "dist/agreement.hpp"
#include "dist/root_work.hpp"
#include "experiments/evaluation/model_tasks.hpp"
#include "experiments/evaluation/task_report.hpp"
#include "experiments/results/json_report.hpp"
#include "experiments/trial/task_file.hpp"
#include "launcher/saved_model.hpp"

namespace gausscse {

namespace {

using Paths = std::vector<std::filesystem::path>;

Paths files_of(const StsTaskSettings& settings) {
  return settings.files;
}
Paths files_of(const GeometryTaskSettings& settings) {
  return {settings.file};
}

/// The file itself, or the text files of a folder, by name.
Paths files_at(const std::filesystem::path& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  Paths files;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(path))
    if (entry.is_regular_file() && entry.path().extension() == ".txt") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Every file and folder that the tasks read.
std::vector<InputPath> inputs_of(const std::vector<TaskSettings>& tasks) {
  std::vector<InputPath> inputs;
  for (const TaskSettings& task : tasks)
    for (const std::filesystem::path& path : std::visit([](const auto& kind) { return files_of(kind); }, task.of_kind))
      inputs.push_back({"tasks." + task.name, path});
  return inputs;
}

}  // namespace

void eval_tasks(const EvalTasksArguments& arguments, Process& process) {
  Communicator& communicator = process.communicator();
  const std::vector<TaskSettings> settings = read_task_file(arguments.tasks);
  if (!arguments.json.empty())
    run_on_root(communicator, [&] {
      std::vector<InputPath> inputs = inputs_of(settings);
      inputs.push_back({"MODEL_DIR", arguments.model.folder});
      inputs.push_back({"--tasks", arguments.tasks});
      check_report_file("--json", arguments.json, inputs);
    });
  const MeasuredModel model = open_measured_model(arguments.model);
  const std::vector<NamedTask> tasks =
      make_tasks(settings, {.tokenizer = *model.tokenizer,
                            .positions = model.encoder->settings().encoder.max_tokens(),
                            .max_tokens = model.max_tokens,
                            .threads = process.threads(),
                            .similarity = model.similarity});
  std::string agreement = concat(model.agreement, "--tasks ", content_hash(arguments.tasks), "\n");
  for (const InputPath& input : inputs_of(settings))
    for (const std::filesystem::path& file : files_at(input.path))
      agreement += concat(input.name, " ", file.filename().string(), " ", content_hash(file), "\n");
  check_agreement(communicator, model_and_inputs, agreement);
  for (const NamedTask& task : tasks) {
    for (const std::string& note : task.notes) spdlog::info(note);
    for (const std::string& warning : task.warnings) spdlog::warn(warning);
  }
  std::vector<TaskFigures> figures;
  for (const NamedTask& task : tasks) {
    spdlog::info("{}: measuring", task.task->name());
    figures.push_back(task.task->measure(*model.encoder, communicator));
  }
  if (!communicator.is_root()) return;
  std::fputs(task_table(figures).c_str(), stdout);
  if (!arguments.json.empty()) write_file_atomically(arguments.json, task_json(figures));
}

}  // namespace gausscse
