#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "launcher/log.hpp"
#include "launcher/process.hpp"

namespace gausscse {

/// Flags that every subcommand has.
struct CommonOptions {
  bool verbose = false;
  bool quiet = false;
  ProcessOptions process;

  Verbosity verbosity() const { return quiet ? Verbosity::errors : verbose ? Verbosity::details : Verbosity::notes; }
};

/// What the chosen subcommand does; called once the command line is parsed. Gives the program's exit code.
using Action = std::function<int(const CommonOptions&)>;

// Each adds one subcommand to `app`, which sets `action` when it is chosen.
void add_train_command(CLI::App& app, Action& action);
void add_eval_command(CLI::App& app, Action& action);
void add_encode_command(CLI::App& app, Action& action);
void add_score_command(CLI::App& app, Action& action);
void add_geometry_command(CLI::App& app, Action& action);
void add_lengths_command(CLI::App& app, Action& action);
void add_show_command(CLI::App& app, Action& action);
void add_tokenize_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_run_command(CLI::App& app, Action& action);
void add_status_command(CLI::App& app, Action& action);
void add_tables_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_index_command(CLI::App& app, Action& action);
void add_doctor_command(CLI::App& app, Action& action);
/// Completes the commands and options of `app`, all of them added before it prints.
void add_completion_command(CLI::App& app, Action& action);

}  // namespace gausscse
