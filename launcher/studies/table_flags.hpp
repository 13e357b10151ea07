#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "experiments/tables/table_options.hpp"

namespace gausscse {

/// The flags --interval, --holm and --no-paper, of every command that makes tables.
struct TableFlags {
  std::string interval = std::string(name_of(setting::CellInterval::none));
  bool holm = false;
  bool no_paper = false;
};

void add_table_flags(CLI::App& command, TableFlags& flags);

/// Throws InputError for a word that --interval does not know.
TableOptions table_options(const TableFlags& flags, std::size_t threads);

}  // namespace gausscse
