#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "experiments/study/study_results.hpp"
#include "experiments/tables/make_table.hpp"
#include "launcher/command.hpp"

namespace gausscse {

/// Names on standard error each trial of a study whose files were changed, and warns once where files have no hash that
/// would show it. Returns the exit code of the command that left them out: 1 where there is one, else 0.
int warn_of_damaged_trials(const StudyResults& study);

/// Warns of damaged trials and of a damaged manifest, for a command that does not read it. Returns 1 where there is
/// one, else 0.
int warn_of_damaged_files(const StudyResults& study);

/// Returns the number of threads that a command computes with: that of --threads, else its cores.
std::size_t threads_of(const CommonOptions& common);

/// The flags --interval, --uncorrected and --no-paper, of every command that makes tables.
struct TableFlags {
  std::string interval = std::string(name_of(setting::CellInterval::none));
  bool uncorrected = false;
  bool no_paper = false;
};

void add_table_flags(CLI::App& command, TableFlags& flags);

/// Throws InputError for a word that --interval does not know.
TableOptions table_options(const TableFlags& flags, std::size_t threads);

// Each adds one subcommand on studies, see launcher/command.hpp.
void add_run_command(CLI::App& app, Action& action);
void add_status_command(CLI::App& app, Action& action);
void add_tables_command(CLI::App& app, Action& action);
void add_report_command(CLI::App& app, Action& action);
void add_compare_command(CLI::App& app, Action& action);
void add_index_command(CLI::App& app, Action& action);

}  // namespace gausscse
