#include "launcher/save_calibration.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "config/tasks/nli_thresholds.hpp"
#include "inference/calibration/calibration.hpp"

namespace gausscse {

namespace {

bool is_calibration(const std::filesystem::path& file) {
  try {
    Calibration::read(file);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

void check_calibration_file(const std::string& file, const std::vector<TaskSettings>& tasks,
                            const std::vector<InputPath>& inputs) {
  constexpr const char* option = "--save-calibration";
  if (tasks_with_own_threshold(tasks).empty())
    throw InputError(concat(option, " needs a set that chooses its threshold: give labelled pairs by --dev FILE"));
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored) && !input_at(file, inputs) && !is_calibration(file))
    throw InputError(concat(option, " ", file, " is there already and is no calibration: give another path"));
  check_output_file(option, file, inputs, ExistingFile::replace);
}

void write_calibration(const std::string& file, const std::vector<Measurement>& measurements,
                       const SentenceModel& model) {
  const auto source = std::find_if(measurements.begin(), measurements.end(),
                                   [](const Measurement& each) { return !each.calibration.empty(); });
  if (source == measurements.end())
    throw InputError(
        "--save-calibration: no set can be fitted on: half of its premises need entailments and other pairs; give more "
        "labelled pairs");
  const Calibration calibration = Calibration::parse(source->calibration, file).with_weights(weights_of(model));
  write_file_atomically(file, calibration.text());
  const CalibrationNumbers& numbers = calibration.numbers();
  spdlog::info("calibration: fitted on {} of {} pairs of {}: {}", numbers.fitted, numbers.pairs, source->task, file);
}

}  // namespace gausscse
