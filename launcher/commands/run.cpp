#include "launcher/commands/command.hpp"

namespace gausscse {

void add_run_command(CLI::App&, Action&) {}

}  // namespace gausscse
