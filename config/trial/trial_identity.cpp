#include "config/trial/trial_identity.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string_view>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "config/schema/key_writer.hpp"
#include "config/trial/term_map.hpp"
#include "config/trial/trial_keys.hpp"
#include "model/hub/given_folder.hpp"

namespace gausscse {

namespace {

using Visit = std::function<void(const std::string& role, std::filesystem::path& path)>;

/// Visits every path that the trial reads from.
void visit_inputs(Trial& trial, const Visit& visit) {
  for (std::size_t i = 0; i < trial.data.train.size(); ++i) visit(concat("data.train/", i + 1), trial.data.train[i]);
  for (TaskSettings& task : trial.tasks) {
    const std::vector<std::filesystem::path*> paths = paths_of(task);
    for (std::size_t i = 0; i < paths.size(); ++i) visit(concat("tasks.", task.name, "/", i + 1), *paths[i]);
  }
  visit("model.backbone", trial.model.backbone.path);
  visit("model.backbone.tokenizer", trial.model.backbone.tokenizer);
  visit("model.backbone.vectors", trial.model.backbone.vectors);
  visit("model.backbone.texts", trial.model.backbone.texts);
}

template <typename Record>
std::string differences(const Keys<Record>& keys, const Record& record, const std::vector<std::string>& defaults) {
  YAML::Emitter out;
  out << YAML::Flow;
  write_keys(keys_that_differ(keys, record, defaults), record, out);
  GAUSSCSE_CHECK(out.good(), out.GetLastError());
  return out.c_str();
}

namespace fs = std::filesystem;

/// Extensions of the files that are read in a folder: of a model its configuration, tokenizer and weights, of a corpus
/// its text files. Other files, such as weights of other programs, are not read.
constexpr std::array<std::string_view, 3> extensions_of_model = {".json", ".txt", ".safetensors"};
constexpr std::array<std::string_view, 1> extensions_of_corpus = {".txt"};
constexpr int deepest_folder = 3;

std::vector<fs::path> files_in(const fs::path& folder, std::span<const std::string_view> extensions) {
  std::vector<fs::path> files;
  std::error_code error;
  fs::recursive_directory_iterator entries(folder, error);
  for (; !error && entries != fs::recursive_directory_iterator(); entries.increment(error)) {
    if (entries.depth() >= deepest_folder) entries.disable_recursion_pending();
    const std::string extension = entries->path().extension().string();
    const bool read = std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
    std::error_code broken_link;
    if (read && entries->is_regular_file(broken_link)) files.push_back(entries->path());
  }
  if (error)
    throw InputError(concat(folder.string(), ": this folder, which the trial reads, cannot be looked through: ",
                            error.message(), ": give another one"));
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<fs::path> files_read_of(const TrialInput& folder) {
  if (!folder.files.empty()) return folder.files;
  if (folder.role.starts_with("model.")) return files_in(folder.path, extensions_of_model);
  return files_in(folder.path, extensions_of_corpus);
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
    if (const auto files = files_of_folder(task))
      for (TrialInput& input : inputs)
        if (input.role.starts_with(concat("tasks.", task.name, "/"))) input.files = *files;
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

std::string identity_text(const Trial& trial) {
  static const std::vector<std::string> defaults = value_texts(trial_keys(), Trial());
  const Trial same = canonical_trial(trial);
  std::string text = concat(differences(trial_keys(), same, defaults), "\n");
  for (const ObjectiveTerm& term : same.objective.terms) {
    const auto& keys = objective_term_keys();
    const ObjectiveKind kind = term.objective.kind;
    text += concat("term ", term.name, ", ", name_of(kind), ": ",
                   differences(keys, term, value_texts(keys, default_term(kind))), "\n");
  }
  for (const TaskSettings& task : same.tasks) {
    const setting::TaskKind kind = kind_of(task);
    const auto& keys = task_keys(kind);
    text += concat("task ", task.name, ", ", name_of(kind), ": ",
                   differences(keys, task, value_texts(keys, default_task(task.name, kind))), "\n");
  }
  return text;
}

std::vector<InputContent> contents_of_inputs(const Trial& trial, const ContentHash& content_hash) {
  std::vector<InputContent> contents;
  for (const TrialInput& input : inputs_of(trial)) {
    if (!fs::is_directory(input.path)) {
      contents.push_back({input.role, input.path, content_hash(input.path)});
      continue;
    }
    for (const fs::path& file : files_read_of(input))
      contents.push_back(
          {concat(input.role, "/", file.lexically_relative(input.path).string()), file, content_hash(file)});
  }
  return contents;
}

ContentHash content_hash_with(std::vector<std::pair<std::string, std::string>> known) {
  return [known = std::move(known)](const fs::path& file) {
    for (const auto& [path, hash] : known)
      if (path == file.string()) return hash;
    return content_hash(file);
  };
}

}  // namespace gausscse
