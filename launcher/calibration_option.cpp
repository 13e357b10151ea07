#include "launcher/calibration_option.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "inference/calibration/calibration.hpp"
#include "launcher/command.hpp"

namespace gausscse {

CLI::Option* add_calibration_option(CLI::App& command, std::string& file) {
  return command
      .add_option("--calibration", file,
                  "file by which similarities become probabilities, as `gausscse eval --save-calibration` writes it "
                  "(default: calibration.json of the model)")
      ->type_name("FILE");
}

CLI::Option* add_calibrator_option(CLI::App& command, std::string& name, const std::string& description) {
  return command.add_option("--calibrator", name, description)
      ->capture_default_str()
      ->check(one_of(words_of<Calibrator>()));
}

CLI::Option* add_risk_option(CLI::App& command, double& risk, const std::string& description) {
  return command.add_option("--risk", risk, description)->check([](const std::string& text) {
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return end == text.c_str() + text.size() && number > 0 && number < 1
               ? std::string()
               : concat(quoted(text), " is no risk: give a number over 0 and under 1");
  });
}

}  // namespace gausscse
