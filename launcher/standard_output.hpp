#pragma once

#include <string>

namespace gausscse {

/// Writes a command's answer to standard output. Throws WriteError where it cannot be written: a full disk, a pipe that
/// nobody reads.
void print_answer(const std::string& text);

/// Writes an answer for people: `visible_lines` of it, as labels and paths may hold what moves a terminal's cursor.
void print_text(const std::string& text);

}  // namespace gausscse
