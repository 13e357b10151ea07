#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
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

/// Function that does the work of the chosen subcommand; called once the command line is parsed. Returns the program's
/// exit code.
using Action = std::function<int(const CommonOptions&)>;

// Each adds one subcommand to `app`, which sets `action` when it is chosen.
void add_train_command(CLI::App& app, Action& action);
void add_eval_command(CLI::App& app, Action& action);
void add_encode_command(CLI::App& app, Action& action);
void add_score_command(CLI::App& app, Action& action);
void add_geometry_command(CLI::App& app, Action& action);
void add_lengths_command(CLI::App& app, Action& action);
void add_tokenize_command(CLI::App& app, Action& action);
void add_generate_command(CLI::App& app, Action& action);
void add_doctor_command(CLI::App& app, Action& action);
/// Completes the commands and options of `app`, all of them added before it prints.
void add_completion_command(CLI::App& app, Action& action);

/// Check of a result file that a user named. Returns a warning or an empty text; throws InputError where the file is
/// not what was written.
using ResultCheck = std::function<std::string(const std::filesystem::path& result)>;
void add_show_command(CLI::App& app, Action& action, const ResultCheck& check);

/// Adds the commands on studies: run, status, tables, report, compare and index. Does nothing in a build without
/// studies.
void add_study_commands(CLI::App& app, Action& action);
/// Returns the check of a result file that may be a study's, whose record is next to it then. In a build without
/// studies it accepts every file.
ResultCheck result_check_of_studies();

}  // namespace gausscse
