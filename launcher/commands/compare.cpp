#include "launcher/commands/command.hpp"

namespace gausscse {

void add_compare_command(CLI::App&, Action&) {}

}  // namespace gausscse
