#pragma once

#include "launcher/command.hpp"

namespace gausscse {

// Each adds one subcommand on studies, see launcher/command.hpp.
void add_run_command(CLI::App& app, Action& action);
void add_status_command(CLI::App& app, Action& action);
void add_tables_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_index_command(CLI::App& app, Action& action);

}  // namespace gausscse
