#include "base/terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace gausscse {

bool is_drawing_terminal(int descriptor) {
  const char* kind = std::getenv("TERM");
  return ::isatty(descriptor) != 0 && kind && *kind && std::string_view(kind) != "dumb";
}

}  // namespace gausscse
