#include "config/trial/canonical_trial.hpp"

#include <functional>

#include "base/error.hpp"
#include "base/model_folder.hpp"
#include "config/trial/trial_keys.hpp"

namespace gausscse {

namespace {

using Visit = std::function<void(const std::string& role, std::filesystem::path& path)>;

void visit_files(NliTaskSettings& task, const std::string& name, const Visit& visit) {
  visit(name + "/1", task.file);
}

void visit_files(StsTaskSettings& task, const std::string& name, const Visit& visit) {
  for (std::size_t i = 0; i < task.files.size(); ++i) visit(concat(name, "/", i + 1), task.files[i]);
}

void visit_files(GeometryTaskSettings& task, const std::string& name, const Visit& visit) {
  visit(name + "/1", task.file);
}

void visit_files(NliLabelsTaskSettings& task, const std::string& name, const Visit& visit) {
  visit(name + "/1", task.file);
}

void visit_files(TransferTaskSettings& task, const std::string& name, const Visit& visit) {
  visit(name + "/1", task.folder);
}

/// Visits every path that the trial reads from.
void visit_inputs(Trial& trial, const Visit& visit) {
  for (std::size_t i = 0; i < trial.data.train.size(); ++i) visit(concat("data.train/", i + 1), trial.data.train[i]);
  for (TaskSettings& task : trial.tasks)
    std::visit([&](auto& of_kind) { visit_files(of_kind, concat("tasks.", task.name), visit); }, task.of_kind);
  visit("model.backbone", trial.model.backbone.path);
  visit("model.backbone.tokenizer", trial.model.backbone.tokenizer);
}

}  // namespace

Trial canonical_trial(const Trial& trial) {
  Trial same = without_effects(trial_keys(), trial, changes_result);
  visit_inputs(same, [](const std::string& role, std::filesystem::path& path) {
    if (!path.empty()) path = "/" + role;
  });
  same.output = "/output";
  return same;
}

std::vector<TrialInput> inputs_of(const Trial& trial) {
  std::vector<TrialInput> inputs;
  Trial read = trial;
  read.model.backbone.path = model_folder_of(trial.model.backbone.path);
  visit_inputs(read, [&](const std::string& role, const std::filesystem::path& path) {
    if (!path.empty()) inputs.push_back({role, path});
  });
  for (const TaskSettings& task : trial.tasks)
    if (kind_of(task) == setting::TaskKind::transfer)
      for (TrialInput& input : inputs)
        if (input.role == concat("tasks.", task.name, "/1")) input.files = content_files_of(task);
  return inputs;
}

std::string role_of_file(const Trial& trial, const std::string& file) {
  for (const auto& [role, path, files] : inputs_of(trial)) {
    const std::string& folder = path.native();
    if (file.starts_with(folder) && (file.size() == folder.size() || file[folder.size()] == '/'))
      return role + file.substr(folder.size());
  }
  return file;
}

}  // namespace gausscse
