#include "launcher/json_option.hpp"

#include "base/error.hpp"
#include "launcher/standard_output.hpp"

namespace gausscse {

CLI::Option* add_json_option(CLI::App& command, std::string& file, const std::string& what) {
  return command
      .add_option("--json", file,
                  concat("write ", what, " as JSON to this file as well; -: to standard output, in place of the text"))
      ->type_name("FILE");
}

void print_with_report(const std::string& text, const std::string& report, const std::string& file) {
  if (!is_standard_output(file)) print_text(text);
  if (!file.empty()) write_report(file, report);
}

}  // namespace gausscse
