#pragma once

#include <exception>
#include <string>

namespace gausscse {

/// What is told of an error that ends the program: without LibTorch's stack trace, and with what to do where it is
/// memory that was refused.
std::string failure_text(const std::exception& error);

}  // namespace gausscse
