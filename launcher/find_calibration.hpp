#pragma once

#include <optional>
#include <string>

#include "inference/calibration/calibration.hpp"
#include "inference/model_calibration.hpp"
#include "inference/sentence_model.hpp"

namespace gausscse {

/// Returns the calibration in `file`, or where that is empty the one in the folder `path` of the model, if there is
/// one. Warns where it does not say which weights it was fitted to. One in the folder that belongs to another model is
/// left out, with a warning, and so is one that does not serve the use. Throws InputError where `file` does not belong
/// to the model or serve the use.
std::optional<Calibration> find_calibration(const std::string& file, const std::string& path,
                                            const SentenceModel& model, CalibrationUse use);

/// Returns the calibration of pairs. Throws InputError, with the way to fit one, where none belongs to the model.
Calibration loaded_calibration(const std::string& file, const std::string& path, const SentenceModel& model);

}  // namespace gausscse
