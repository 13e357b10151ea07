#include "launcher/calibration_option.hpp"

namespace gausscse {

CLI::Option* add_calibration_option(CLI::App& command, std::string& file) {
  return command
      .add_option("--calibration", file,
                  "file by which similarities become probabilities, as `gausscse eval --save-calibration` writes it "
                  "(default: calibration.json of the model)")
      ->type_name("FILE");
}

}  // namespace gausscse
