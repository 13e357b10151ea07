#pragma once

#include <string>
#include <vector>

namespace gausscse {

/// Returns rows of cells as aligned text, a row a line: the first column to the left, the others to the right, two
/// blanks between. All rows have as many cells as the first. Cells are UTF-8, a code point being as wide as another.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// Returns `value` with this many decimals, or a dash where it is NaN: a metric that does not exist.
std::string fixed_text(double value, int decimals);

/// Returns a fraction in percent with two decimals, or a dash.
std::string percent_text(double fraction);

}  // namespace gausscse
