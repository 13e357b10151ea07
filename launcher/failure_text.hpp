#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace gausscse {

/// Returns the message for an error that ends the program, without LibTorch's stack trace. Where memory was refused it
/// has the remedy in the subcommand `command` ("train", "eval", ...), as each takes its memory for other things. A
/// MemoryRefused also lists the parts of memory that the training holds, the largest first, with the refused one
/// counted in. It begins with advice that makes the largest smaller.
std::string failure_text(const std::exception& error, std::string_view command);

}  // namespace gausscse
