#pragma once

#include <string>

namespace gausscse {

/// Writes a command's answer to standard output. Throws WriteError where it cannot be written: a full disk, a pipe that
/// nobody reads.
void print_answer(const std::string& text);

}  // namespace gausscse
