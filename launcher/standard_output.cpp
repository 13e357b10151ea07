#include "launcher/standard_output.hpp"

#include <cstdio>

#include "base/error.hpp"

namespace gausscse {

void print_answer(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw WriteError("standard output: cannot be written to");
}

}  // namespace gausscse
