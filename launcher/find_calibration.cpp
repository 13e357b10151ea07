#include "launcher/find_calibration.hpp"

#include <spdlog/spdlog.h>

#include <utility>

#include "base/error.hpp"
#include "inference/model_calibration.hpp"
#include "model/hub/given_folder.hpp"

namespace gausscse {

std::optional<Calibration> find_calibration(const std::string& file, const std::string& path,
                                            const SentenceModel& model, CalibrationUse use) {
  ModelCalibration found = calibration_for(model, path, file, use);
  if (!found.problem.empty() && !file.empty()) throw InputError(found.problem);
  for (const std::string& text : {found.problem, found.warning})
    if (!text.empty()) spdlog::warn(text);
  return std::move(found.calibration);
}

Calibration loaded_calibration(const std::string& file, const std::string& path, const SentenceModel& model) {
  ModelCalibration found = calibration_for(model, path, file);
  if (!found.problem.empty()) throw InputError(found.problem);
  if (!found.warning.empty()) spdlog::warn(found.warning);
  if (!found.calibration)
    throw InputError(concat(path, ": has no ", calibration_file,
                            ", so similarities cannot become probabilities: fit one on labelled pairs, with `gausscse "
                            "eval MODEL --dev PAIRS --save-calibration FILE`, and give --calibration FILE"));
  return std::move(*found.calibration);
}

}  // namespace gausscse
