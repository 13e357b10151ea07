#pragma once

#include <string>
#include <string_view>

namespace gausscse {

/// Writes a command's answer to standard output. Throws WriteError where it cannot be written: a full disk, a pipe that
/// nobody reads.
void print_answer(std::string_view text);

/// Writes an answer for people: `visible_lines` of it, as labels and paths may hold characters that move a terminal's
/// cursor.
void print_text(const std::string& text);

/// Prints "gausscse: warning: ..." on standard error, of a command that writes no log.
void print_warning(const std::string& text);

/// Returns whether an output's path is "-": standard output, in the place of the answer that people read.
bool is_standard_output(const std::string& path);

/// Writes a report for programs to a file, whole or not at all, or to standard output. Throws WriteError.
void write_report(const std::string& path, const std::string& report);

}  // namespace gausscse
