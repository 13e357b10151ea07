#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/output_paths.hpp"
#include "config/trial/task_settings.hpp"
#include "data/corpus/choices.hpp"
#include "inference/sentence_model.hpp"
#include "launcher/mteb_results.hpp"
#include "launcher/process.hpp"

namespace gausscse {

/// Model, tasks and outputs of `eval`.
struct MeasureArguments {
  SentenceModelOptions model;
  at::Device device = at::kCPU;
  bool show_progress = true;
  std::vector<TaskSettings> tasks;
  /// Returns the tasks with what the model knows of them.
  std::function<std::vector<TaskSettings>(const SentenceModel&)> complete;
  std::vector<InputPath> inputs;               ///< all files that are read besides the model, for messages
  std::map<std::string, std::string> scoring;  ///< words of NliScoring over those of the model
  BadLines bad_lines = BadLines::error;
  std::string json;  ///< where a report goes; empty: nowhere
  MtebArguments mteb;
};

/// Measures a model on all ranks; rank 0 prints the metrics. Collective.
void measure_model(const MeasureArguments& arguments, Process& process);

}  // namespace gausscse
