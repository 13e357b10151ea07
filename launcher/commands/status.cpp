#include "launcher/commands/command.hpp"

namespace gausscse {

void add_status_command(CLI::App&, Action&) {}

}  // namespace gausscse
