#pragma once

#include <optional>
#include <string>

#include "inference/calibration/calibration.hpp"

namespace gausscse {

/// Returns the calibration in `file`, or where that is empty the one in the folder of the model, if there is one.
/// Throws InputError where it was fitted to another kind of similarity than the model's.
std::optional<Calibration> find_calibration(const std::string& file, const std::string& model, Similarity similarity);

/// Returns the same. Throws InputError, with the way to fit one, where there is none.
Calibration calibration_in_use(const std::string& file, const std::string& model, Similarity similarity);

}  // namespace gausscse
