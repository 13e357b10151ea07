#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "data/corpus/read_report.hpp"
#include "dist/control_group.hpp"

namespace gausscse {

/// Keeps the bytes of a command's input files that are pipes, see base/file.hpp. A pipe gives its bytes to one process
/// alone: throws InputError on all ranks where there are several. Collective.
void keep_piped_inputs(std::span<const std::filesystem::path> inputs, ControlGroup& ranks);

/// Calls `command`; where it throws BadLine, adds `advice` to the message: how this command leaves bad lines out.
template <typename Command>
auto with_advice_on_bad_lines(const std::string& advice, const Command& command) {
  try {
    return command();
  } catch (const BadLine& error) {
    throw InputError(concat(error.what(), "; ", advice));
  }
}

/// The advice of commands with that flag.
inline constexpr const char* skip_bad_lines_advice = "to skip bad lines and count them, give --skip-bad-lines";

/// Returns a command with that advice: run(arguments, common).
template <typename Run>
auto with_skip_advice(const Run& run) {
  return [run](const auto& arguments, const auto& common) {
    return with_advice_on_bad_lines(skip_bad_lines_advice, [&] { return run(arguments, common); });
  };
}

}  // namespace gausscse
