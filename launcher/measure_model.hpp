#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/output_paths.hpp"
#include "config/tasks/task_settings.hpp"
#include "data/corpus/choices.hpp"
#include "data/corpus/corpus_layout.hpp"
#include "evaluation/task_list.hpp"
#include "inference/sentence_model.hpp"
#include "launcher/process.hpp"
#include "results/mteb_folder.hpp"

namespace gausscse {

/// Options of `eval` on MTEB; `folder` empty: nothing is written.
struct MtebArguments {
  std::string folder;
  std::string model;               ///< ORGANIZATION/MODEL
  std::string revision;            ///< empty: a hash of the model
  std::vector<std::string> tasks;  ///< TASK=NAME each
};

/// MTEB's name of each task that has one.
using MtebNames = std::map<std::string, std::string>;

/// Returns the names that the user gave. Throws InputError for a task that is none of `settings` or of a kind that MTEB
/// lacks, and for two tasks of one name.
MtebNames names_for_mteb(const MtebArguments& arguments, const std::vector<TaskSettings>& settings);

/// Looks, before any work, at where the results are to go, and at `report`, the path of --json, which may be empty.
/// Throws as `names_for_mteb` and ResultFolder, and where the report lies among the results.
void check_mteb_output(const MtebArguments& arguments, const std::vector<TaskSettings>& settings,
                       const std::string& report, ExistingFile existing);

/// Throws InputError where a task is to be called as one of MTEB's that has another number of pairs.
void check_pairs_for_mteb(const MtebNames& names, const TaskList& tasks);

/// Returns the folder of the model's results. Throws as ResultFolder.
mteb::ResultFolder folder_for_mteb(const MtebArguments& arguments, const MtebNames& names, const SentenceModel& model,
                                   ExistingFile existing);

/// Returns the scores of these tasks, in the order of the measurements. A dataset's revision is a hash of its files.
std::vector<mteb::TaskScores> results_for_mteb(const MtebNames& names, const std::vector<TaskSettings>& settings,
                                               const std::vector<Measurement>& measurements);

/// Model, tasks and outputs of `eval`.
struct MeasureArguments {
  SentenceModelOptions model;
  at::Device device = at::kCPU;
  bool show_progress = true;
  std::vector<TaskSettings> tasks;
  /// Returns the tasks with the model's own settings.
  std::function<std::vector<TaskSettings>(const SentenceModel&)> complete;
  std::vector<InputPath> inputs;               ///< all files that are read besides the model, for messages
  std::map<std::string, std::string> scoring;  ///< words of NliScoring over those of the model
  BadLines bad_lines = BadLines::error;
  CorpusLayout layout = {};
  std::string backbone;                ///< folder of the backbone, see `open_backbone`
  std::string json;                    ///< file of a report; empty: none
  bool details = false;                ///< true to print tables of probabilities and of directions by length, too
  std::string calibration = {};        ///< file of a calibration to measure; empty: the model's own, for pairs
  std::string saved_calibration = {};  ///< file of the calibration that is fitted to the model; empty: none
  ExistingFile existing = ExistingFile::refuse;  ///< treatment of files that `json` and the others would replace
  MtebArguments mteb;
};

/// Measures a model on all ranks; rank 0 prints the metrics. Collective.
void measure_model(const MeasureArguments& arguments, Process& process);

}  // namespace gausscse
