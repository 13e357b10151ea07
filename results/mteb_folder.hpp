#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/output_paths.hpp"
#include "results/measurement.hpp"

namespace gausscse::mteb {

/// The version of mteb whose files these are, and by which scores are computed.
inline constexpr std::string_view followed_version = "2.26.24";

/// Returns whether a task, or either part of a model's name, or a revision may be called so: they name files.
bool is_name(std::string_view text);
inline constexpr std::string_view name_rule =
    "letters, digits, dots, dashes and underscores, with no dot at its beginning";

/// Properties of a model in `model_meta.json`; the rest of that file is unknown, and null.
struct ModelDescription {
  std::string name;      ///< ORGANIZATION/MODEL
  std::string revision;  ///< state of the model
  std::int64_t parameters = 0, embedding_parameters = 0;
  std::int64_t width = 0;                       ///< width of an embedding
  std::optional<std::int64_t> max_tokens = {};  ///< nothing: no limit
  bool cosine = true;  ///< true if its similarity is the cosine; else it is one that MTEB lacks
};

/// Scores of one task.
struct TaskScores {
  std::string task;              ///< MTEB's name for it
  std::string dataset_revision;  ///< revision of the data that was read
  std::vector<Metric> scores;    ///< Measurement::mteb_scores
  double seconds = 0;
};

/// Looks whether results of these tasks can be written below `root`, and changes nothing. Where the revision is not
/// known yet, files that are there are not looked at. Throws as the constructor of ResultFolder.
void check_results(const std::filesystem::path& root, const std::string& model,
                   const std::optional<std::string>& revision, std::span<const std::string> tasks,
                   ExistingFile existing);

/// Returns the folder of all results of a model.
std::filesystem::path folder_of_model(const std::filesystem::path& root, const std::string& model);

/// Results as mteb 2.x keeps them below a folder: ORGANIZATION__MODEL/REVISION with TASK.json for each task,
/// `model_meta.json` and `run_settings.jsonl`.
class ResultFolder {
 public:
  /// Looks whether the results of these `tasks` can be written, so that nothing goes wrong after the work, and makes
  /// the folder. Throws InputError for a name that is none, as `check_output_file` for a TASK.json that is there, and
  /// for a `model_meta.json` of another model. Also for a folder in the place of a file, and where no file can be made.
  /// `version` is this program's.
  ResultFolder(const std::filesystem::path& root, ModelDescription model, std::span<const std::string> tasks,
               std::string version, ExistingFile existing);

  const std::filesystem::path& path() const { return path_; }

  /// Writes the results, in place of earlier ones of the same tasks; a `model_meta.json` that is there stays, and so do
  /// other tasks' lines of `run_settings.jsonl`. `date` is in seconds since 1970. Each file appears whole or not at
  /// all. Throws WriteError, and InputError as the constructor.
  void write(std::span<const TaskScores> results, std::int64_t date) const;

 private:
  std::string result_text(const TaskScores& result, std::int64_t date) const;
  std::string run_settings_with(std::span<const TaskScores> results) const;

  ModelDescription model_;
  std::string version_;
  std::filesystem::path path_;
};

}  // namespace gausscse::mteb
