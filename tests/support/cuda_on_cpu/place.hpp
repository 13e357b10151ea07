#pragma once

#include <string>

namespace cuda_on_cpu {

/// A place of a kernel's source; std::source_location is not there with clang 14, which the checks use.
struct Place {
  const char* file = "";
  int line = 0;
  const char* function = "";

  /// Returns the place of this call or, as a default argument, of the call of the function that has it.
  static constexpr Place current(const char* file = __builtin_FILE(), int line = __builtin_LINE(),
                                 const char* function = __builtin_FUNCTION()) {
    return {file, line, function};
  }

  bool operator==(const Place& other) const { return line == other.line && std::string(file) == other.file; }
  std::string text() const { return std::string(file) + ":" + std::to_string(line) + " (" + function + ")"; }
};

}  // namespace cuda_on_cpu
