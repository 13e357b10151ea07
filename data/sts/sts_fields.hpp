#pragma once

#include <optional>
#include <string_view>

namespace gausscse {

// Readers of parts of lines of STS files. The functions throw InputError without the place in the file.

/// Returns nothing where `text` is no finite number.
std::optional<double> parse_number(std::string_view text);

/// Returns the score that `text` is. Throws InputError for what is no number, and FileFault for one that is not from 0
/// to 5: then the file has another scale.
double checked_score(std::string_view text);

}  // namespace gausscse
