#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gausscse {

/// A terminal's size in characters.
struct TerminalSize {
  std::size_t columns = 80, rows = 24;
};

/// Returns the size of the terminal that `descriptor` is; the default size where it is none, or does not know its own.
TerminalSize size_of_terminal(int descriptor);

/// Returns the number of columns that a visible text takes: each character of UTF-8 counts as one.
std::size_t columns_of(std::string_view text);

/// Returns the first characters of a visible text, as many as fit into `columns`.
std::string cut_to_columns(std::string_view text, std::size_t columns);

/// Returns the text, filled up with spaces to `columns`.
std::string filled_to_columns(std::string_view text, std::size_t columns);

}  // namespace gausscse
