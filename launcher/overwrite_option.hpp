#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "base/output_paths.hpp"

namespace gausscse {

/// Adds --overwrite, which is the same in every command that writes files: without it, no file that exists is replaced.
/// `outputs` names them for the help, such as "OUT" or "the file of --json".
CLI::Option* add_overwrite_option(CLI::App& command, ExistingFile& existing, const std::string& outputs);

}  // namespace gausscse
