#include "launcher/commands/command.hpp"

namespace gausscse {

void add_index_command(CLI::App&, Action&) {}

}  // namespace gausscse
