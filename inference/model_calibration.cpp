#include "inference/model_calibration.hpp"

#include "base/error.hpp"
#include "base/option_name.hpp"
#include "model/choices.hpp"
#include "model/hub/given_folder.hpp"

namespace gausscse {

namespace {

std::string how_to_fit_again() {
  return concat(
      "fit one to this model, with `gausscse eval MODEL --dev PAIRS --save-calibration FILE`, and give that, by ",
      option_with_value("calibration", "FILE"), " or as calibration.json in the folder");
}

}  // namespace

ModelCalibration calibration_for(const SentenceModel& model, const std::filesystem::path& path, const std::string& file,
                                 CalibrationUse use) {
  ModelCalibration found{file.empty() ? Calibration::of_model(path) : Calibration::read(file)};
  if (!found.calibration) return found;
  const std::string source = file.empty() ? (model_folder_of(path) / calibration_file).string() : file;
  const CalibrationNumbers& numbers = found.calibration->numbers();
  if (use == CalibrationUse::pairs && found.calibration->is_of_hits())
    found.problem = concat(source,
                           ": is a calibration of hits: it gives the probability that the best row of a search is "
                           "right, not that one sentence entails another: give it to `gausscse search`, and ",
                           "here one of pairs, which `gausscse eval MODEL --dev PAIRS --save-calibration FILE` fits");
  else if (numbers.similarity != model.properties.similarity)
    found.problem =
        concat(source, ": was fitted to the similarity ", quoted(name_of(numbers.similarity)), ", but the model's is ",
               quoted(name_of(model.properties.similarity)), ": ", how_to_fit_again());
  else if (numbers.weights.empty())
    found.warning = concat(source, ": does not say which weights it was fitted to, so nobody knows whether its ",
                           "probabilities are those of this model: to be sure, ", how_to_fit_again());
  else if (const std::string weights = weights_of(model); weights != numbers.weights)
    found.problem = concat(source, ": was fitted to other weights than this model's: their XXH3-128 is ",
                           numbers.weights, ", this model's ", weights, ": ", how_to_fit_again());
  if (!found.problem.empty()) found.calibration.reset();
  return found;
}

}  // namespace gausscse
