#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "inference/calibration/calibration.hpp"
#include "inference/sentence_model.hpp"

namespace gausscse {

/// Calibration for a model, from its folder or from a file that was given.
///
///     const ModelCalibration found = calibration_for(model, "runs/first");
///     if (found.calibration) p = found.calibration->probability(pair);
struct ModelCalibration {
  std::optional<Calibration> calibration;  ///< nothing where there is no file, or one that belongs to another model
  std::string problem =
      {};  ///< message on a file that belongs to another model or use; empty where `calibration` is right
  std::string warning = {};  ///< message on a file that does not say which weights it was fitted to; else empty
};

/// Use of a calibration: on pairs, which only one of pairs serves, or on the hits of a search, which either serves.
enum class CalibrationUse { pairs, search };

/// Returns the calibration in `file`, or where that is empty the one in the folder `path` of the model. It belongs to
/// the model if it was fitted to the same kind of similarity and to the same weights, and must serve the use. Throws
/// InputError where a file cannot be read or is not a calibration.
ModelCalibration calibration_for(const SentenceModel& model, const std::filesystem::path& path,
                                 const std::string& file = {}, CalibrationUse use = CalibrationUse::pairs);

}  // namespace gausscse
