#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// Error in something that the user gave: a file, a setting, a flag. The program ends with exit code 2. The message
/// gives the problem, its cause and the remedy; with file and line and the value where there is one.
class InputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The machine refused something: memory, a read, a collective. The program ends with exit code 1.
class SystemError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file could not be written: a full disk, a folder without permission. The program ends with exit code 2, as the
/// user can put it right.
class WriteError : public SystemError {
  using SystemError::SystemError;
};

/// Joins its arguments as `operator<<` prints them; the way messages are built. Throws std::bad_alloc.
template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream out;
  out.exceptions(std::ios::badbit);  // else the parts for which no memory is left are missing from the text
  (out << ... << parts);
  return out.str();
}

/// Returns `path:line` for messages; lines count from 1.
std::string at_line(std::string_view path, std::size_t line);

/// Returns a short, printable, quoted form of a user's text: control characters escaped, invalid UTF-8 shown as \xNN,
/// cut after `limit` bytes.
std::string quoted(std::string_view text, std::size_t limit = 60);

/// Quotes a std::string or C string. Without these overloads, std::quoted (which escapes no control characters) is the
/// better match for a string where <iomanip> is included.
inline std::string quoted(const std::string& text, std::size_t limit = 60) {
  return quoted(std::string_view(text), limit);
}
inline std::string quoted(std::string& text, std::size_t limit = 60) {
  return quoted(std::string_view(text), limit);
}
inline std::string quoted(const char* text, std::size_t limit = 60) {
  return quoted(std::string_view(text), limit);
}

/// Returns `, did you mean "x"?` for the candidate nearest to `name` by edit distance, or nothing if none is near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// Returns the system's text for `errno`-like `code`.
std::string errno_text(int code);

namespace detail {
[[noreturn]] void check_failed(const char* expression, const char* file, int line, const std::string& message);
}

}  // namespace gausscse

/// Checks a condition that holds for any input of a user; always on. Throws std::logic_error with file and line.
#define GAUSSCSE_CHECK(expression, ...)                                                                   \
  do {                                                                                                    \
    if (!(expression)) [[unlikely]]                                                                       \
      ::gausscse::detail::check_failed(#expression, __FILE__, __LINE__, ::gausscse::concat(__VA_ARGS__)); \
  } while (false)
