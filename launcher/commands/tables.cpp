#include "launcher/commands/command.hpp"

namespace gausscse {

void add_tables_command(CLI::App&, Action&) {}

}  // namespace gausscse
