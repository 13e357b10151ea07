#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/output_paths.hpp"
#include "config/tasks/task_settings.hpp"
#include "inference/calibration/calibration.hpp"
#include "inference/sentence_model.hpp"
#include "results/measurement.hpp"

namespace gausscse {

/// Returns the name of the retrieval task that --save-calibration fits a calibration of hits on: the first one, if no
/// task chooses its own threshold, on which a calibration of pairs is fitted. Empty where there is none.
std::string hits_fitted_on(const std::vector<TaskSettings>& tasks);

/// Throws InputError where no task can give a calibration, and as `check_output_file` for the path of its file.
void check_calibration_file(const std::filesystem::path& file, const std::vector<TaskSettings>& tasks,
                            const std::vector<InputPath>& inputs, ExistingFile existing);

/// Number of fitted pairs or queries from which on a calibration is written without a warning.
inline constexpr std::uint64_t least_fitted = 100;

/// Returns the reasons to doubt a calibration: few items, or a probability that falls with the similarity.
std::vector<std::string> warnings_of_fit(const CalibrationNumbers& numbers);

/// Writes the calibration of the first task that has one, and logs the data of the fit. Throws InputError where no task
/// has one.
void write_calibration(const std::string& file, const std::vector<Measurement>& measurements,
                       const SentenceModel& model);

}  // namespace gausscse
