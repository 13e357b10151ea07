#include "launcher/overwrite_option.hpp"

#include "base/error.hpp"

namespace gausscse {

CLI::Option* add_overwrite_option(CLI::App& command, ExistingFile& existing, const std::string& outputs) {
  return command.add_flag_callback(
      "--overwrite", [&existing] { existing = ExistingFile::replace; },
      concat("replace ", outputs, " if it exists; without it, no file is replaced"));
}

}  // namespace gausscse
