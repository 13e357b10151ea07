#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/output_paths.hpp"
#include "config/tasks/task_settings.hpp"
#include "inference/sentence_model.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Throws InputError where no task can give a calibration, and where anything else than one is at the path `file` of
/// --save-calibration.
void check_calibration_file(const std::string& file, const std::vector<TaskSettings>& tasks,
                            const std::vector<InputPath>& inputs);

/// Writes the calibration of the first task that has one. Throws InputError where none has.
void write_calibration(const std::string& file, const std::vector<Measurement>& measurements,
                       const SentenceModel& model);

}  // namespace gausscse
