#include "launcher/saved_calibration.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <variant>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "config/tasks/nli_thresholds.hpp"
#include "inference/calibration/calibration.hpp"

namespace gausscse {

namespace {

constexpr const char* save_option = "--save-calibration";

}  // namespace

std::string hits_fitted_on(const std::vector<TaskSettings>& tasks) {
  if (!tasks_with_own_threshold(tasks).empty()) return "";
  const auto first = std::find_if(tasks.begin(), tasks.end(), [](const TaskSettings& task) {
    return std::holds_alternative<RetrievalTaskSettings>(task.of_kind);
  });
  return first == tasks.end() ? "" : first->name;
}

void check_calibration_file(const std::filesystem::path& file, const std::vector<TaskSettings>& tasks,
                            const std::vector<InputPath>& inputs, ExistingFile existing) {
  if (tasks_with_own_threshold(tasks).empty() && hits_fitted_on(tasks).empty())
    throw InputError(concat(save_option, " needs a set that chooses its threshold, or queries: give labelled pairs by ",
                            "--dev FILE, or a retrieval set by --retrieval NAME=PATH"));
  check_output_file(save_option, file, inputs, existing);
}

std::vector<std::string> warnings_of_fit(const CalibrationNumbers& numbers) {
  std::vector<std::string> warnings;
  if (numbers.fitted < least_fitted)
    warnings.push_back(concat("fitted on only ", numbers.fitted, numbers.fitted == 1 ? " item" : " items",
                              ": probabilities of fewer than ", least_fitted, " are guesses; give a larger set"));
  if (!(numbers.platt.slope > 0))
    warnings.push_back(concat("the probability falls while the similarity rises (slope ", numbers.platt.slope,
                              "): on this set the model is worse than chance, or its labels are exchanged; look at ",
                              "the labels"));
  return warnings;
}

void write_calibration(const std::string& file, const std::vector<Measurement>& measurements,
                       const SentenceModel& model) {
  const auto source = std::find_if(measurements.begin(), measurements.end(),
                                   [](const Measurement& each) { return !each.calibration.empty(); });
  if (source == measurements.end())
    throw InputError(
        concat(save_option,
               ": no set can be fitted on: half of its premises need entailments and other pairs, and half "
               "of the queries of a retrieval set need right and wrong best hits; give more labelled "
               "pairs, or queries"));
  const Calibration calibration = Calibration::parse(source->calibration, file).with_weights(weights_of(model));
  write_file_atomically(file, calibration.text());
  const CalibrationNumbers& numbers = calibration.numbers();
  for (const std::string& warning : warnings_of_fit(numbers)) spdlog::warn("calibration: {}", warning);
  if (calibration.is_of_hits())
    spdlog::info("calibration of hits: fitted on {} of {} queries of {}, among {} documents: {}", numbers.fitted,
                 numbers.pairs, source->task, numbers.rows, file);
  else
    spdlog::info("calibration: fitted on {} of {} pairs of {}: {}", numbers.fitted, numbers.pairs, source->task, file);
}

}  // namespace gausscse
