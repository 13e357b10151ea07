#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace gausscse {

/// Returns the message for an error that ends the program: without LibTorch's stack trace, and, where memory was
/// refused, with what to do in the subcommand `command` ("train", "eval", ...), as each takes its memory for other
/// things. A MemoryRefused also says what for, what the training holds, the largest first, and begins with what lowers
/// the largest, counted with what was asked for.
std::string failure_text(const std::exception& error, std::string_view command);

}  // namespace gausscse
