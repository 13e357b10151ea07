#pragma once

#include <string_view>
#include <vector>

namespace gausscse {

/// Parts of a command's help besides its options. `--help` and the manual page print them.
struct CommandHelp {
  std::string_view command;
  std::string_view group;                  ///< group that the command is listed in
  std::vector<std::string_view> examples;  ///< one or two, of which --help prints the first
  std::string_view page;                   ///< page of docs
};

/// Returns the help of the command `name`; null for a word that is no command.
const CommandHelp* help_of_command(std::string_view name);

}  // namespace gausscse
