#include "launcher/commands/command.hpp"

namespace gausscse {

void add_report_command(CLI::App&, Action&) {}

}  // namespace gausscse
