#include "results/mteb_folder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/output_paths.hpp"

namespace gausscse::mteb {

namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

/// Key with the version of this program; mteb's reader leaves it out.
constexpr const char* written_by = "gausscse_version";
constexpr const char* model_file = "model_meta.json";
constexpr const char* settings_file = "run_settings.jsonl";
constexpr std::size_t largest_file = std::size_t{16} << 20;

/// Returns the JSON of a file; discarded where that is no JSON.
json parsed(const fs::path& path) {
  return json::parse(read_whole_file(path, largest_file), nullptr, false);
}

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

/// Returns the value as mteb rounds: six decimals.
double rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

bool is_model_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash != std::string_view::npos && is_name(name.substr(0, slash)) && is_name(name.substr(slash + 1));
}

std::string folder_name(std::string name) {
  return name.replace(name.find('/'), 1, "__");
}

ordered_json model_meta(const ModelDescription& model) {
  ordered_json meta{{"loader_kwargs", ordered_json::object()}, {"name", model.name}, {"revision", model.revision}};
  for (const char* unknown : {"release_date", "languages"}) meta[unknown] = nullptr;
  meta["n_parameters"] = model.parameters;
  meta["n_active_parameters_override"] = nullptr;
  meta["n_embedding_parameters"] = model.embedding_parameters;
  meta["memory_usage_mb"] = std::round(static_cast<double>(model.parameters) * sizeof(float) / (1 << 20));
  meta["max_tokens"] = model.max_tokens ? ordered_json(*model.max_tokens) : ordered_json(nullptr);
  meta["embed_dim"] = model.width;
  for (const char* unknown : {"license", "open_weights", "public_training_code", "public_training_data"})
    meta[unknown] = nullptr;
  meta["framework"] = ordered_json::array();
  meta["reference"] = nullptr;
  meta["similarity_fn_name"] = model.cosine ? "cosine" : "custom";
  meta["use_instructions"] = false;
  for (const char* unknown : {"training_datasets", "adapted_from", "superseded_by"}) meta[unknown] = nullptr;
  meta["modalities"] = ordered_json::array({"text"});
  meta["model_type"] = ordered_json::array({"dense"});
  for (const char* unknown :
       {"citation", "contacts", "experiment_kwargs", "output_dtypes", "extra_requirements_groups", "loader"})
    meta[unknown] = nullptr;
  meta["is_cross_encoder"] = false;
  return meta;
}

fs::path result_of(const fs::path& folder, const std::string& task) {
  return folder / (task + ".json");
}

/// Requires that a file in the way may be replaced, or may stay as it is.
void check_files(const fs::path& folder, const std::string& model, const std::string& revision,
                 std::span<const std::string> tasks, ExistingFile existing) {
  for (const std::string& task : tasks)
    if (const fs::path file = result_of(folder, task); is_there(file))
      check_output_file("--mteb-json", file, {}, existing);
  const fs::path meta = folder / model_file, settings = folder / settings_file;
  if (is_there(meta)) {
    const json described = parsed(meta);
    if (!described.is_object() || described.value("name", json()) != model ||
        described.value("revision", json()) != revision)
      throw InputError(concat(meta.string(), ": the file describes another model than ", model, " at ", revision,
                              ": give another folder, or remove it"));
  }
  if (is_there(settings)) check_output_file("--mteb-json", settings, {}, ExistingFile::replace);
}

}  // namespace

bool is_name(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.';
  };
  return !text.empty() && text.size() <= 96 && text.front() != '.' && std::all_of(text.begin(), text.end(), allowed);
}

fs::path folder_of_model(const fs::path& root, const std::string& model) {
  return root / folder_name(model);
}

void check_results(const fs::path& root, const std::string& model, const std::optional<std::string>& revision,
                   std::span<const std::string> tasks, ExistingFile existing) {
  if (!is_model_name(model))
    throw InputError(
        concat("the model's name for MTEB is ", quoted(model), ": give ORGANIZATION/MODEL, each of ", name_rule));
  if (revision && !is_name(*revision))
    throw InputError(concat("the model's revision for MTEB is ", quoted(*revision), ": give ", name_rule));
  for (const std::string& task : tasks)
    if (!is_name(task)) throw InputError(concat("MTEB's name of a task is ", quoted(task), ": give ", name_rule));
  const fs::path folder = folder_of_model(root, model) / revision.value_or("");
  check_folder_to_write_in("--mteb-json", folder);
  if (revision) check_files(folder, model, *revision, tasks, existing);
}

ResultFolder::ResultFolder(const fs::path& root, ModelDescription model, std::span<const std::string> tasks,
                           std::string version, ExistingFile existing)
    : model_(std::move(model)), version_(std::move(version)) {
  check_results(root, model_.name, model_.revision, tasks, existing);
  path_ = folder_of_model(root, model_.name) / model_.revision;
  std::error_code error;
  fs::create_directories(path_, error);
  check_output_file("--mteb-json", path_ / model_file, {}, ExistingFile::replace);
}

std::string ResultFolder::result_text(const TaskScores& result, std::int64_t date) const {
  ordered_json scores = ordered_json::object();
  for (const Metric& score : result.scores) scores[score.name] = rounded(score.value);
  scores["hf_subset"] = "default";
  scores["languages"] = ordered_json::array({"eng-Latn"});
  scores["mteb_version"] = followed_version;
  const ordered_json all{{"dataset_revision", result.dataset_revision},
                         {"task_name", result.task},
                         {"mteb_version", followed_version},
                         {"scores", {{"test", ordered_json::array({scores})}}},
                         {"evaluation_time", result.seconds},
                         {"kg_co2_emissions", nullptr},
                         {"date", static_cast<double>(date)},
                         {"evaluation_phases", nullptr},
                         {written_by, version_}};
  return all.dump(2) + "\n";
}

/// Returns the file's lines, those of these tasks in the place of earlier ones.
std::string ResultFolder::run_settings_with(std::span<const TaskScores> results) const {
  std::string text;
  const fs::path file = path_ / settings_file;
  std::string before = is_there(file) ? read_whole_file(file, largest_file) : std::string();
  if (!before.empty() && before.back() != '\n') before += '\n';
  for (std::size_t begin = 0, end; (end = before.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const std::string line = before.substr(begin, end - begin);
    const json entry = json::parse(line, nullptr, false);
    const bool replaced = entry.is_object() && std::any_of(results.begin(), results.end(), [&](const TaskScores& each) {
                            return entry.value("task", json()) == each.task;
                          });
    if (!replaced && !line.empty()) text += line + "\n";
  }
  for (const TaskScores& result : results)
    text += ordered_json{{"task", result.task},
                         {"splits", ordered_json::array({"test"})},
                         {"version", {{"gausscse", version_}}},
                         {"encode_kwargs", ordered_json::object()},
                         {"subsets", ordered_json::array({"default"})}}
                .dump() +
            "\n";
  return text;
}

void ResultFolder::write(std::span<const TaskScores> results, std::int64_t date) const {
  const fs::path meta = path_ / model_file;
  if (!is_there(meta)) write_file_atomically(meta, model_meta(model_).dump(4) + "\n");
  write_file_atomically(path_ / settings_file, run_settings_with(results));
  for (const TaskScores& result : results)
    write_file_atomically(result_of(path_, result.task), result_text(result, date));
}

}  // namespace gausscse::mteb
