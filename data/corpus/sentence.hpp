#pragma once

#include <string>
#include <string_view>

namespace gausscse {

/// Returns `text` without white space (Unicode's White_Space) at its ends. `text` must be well-formed UTF-8.
std::string_view trimmed(std::string_view text);

/// Returns a whole number without zeros behind its point, and any other text as it is. pandas writes 2 as 2.0 where
/// other rows have no number.
std::string_view without_zeros_behind_point(std::string_view text);

/// Returns `text` with a single blank for each run of white space, none at the ends: Python's " ".join(text.split()).
/// White space is Unicode's, and the four ASCII separators from U+001C on. `text` must be well-formed UTF-8.
std::string with_single_blanks(std::string_view text);

/// Returns the first word of `text` and cuts it off the text; empty where there is none. Words are those of Python's
/// `text.split()`.
std::string_view next_word(std::string_view& text);

/// Returns a sentence as a corpus gives it, trimmed if `trim` is set. Throws InputError if it is not well-formed UTF-8
/// or holds nothing but white space. The message has the fault of the field `name`, but not its place.
std::string_view checked_sentence(std::string_view text, std::string_view name, bool trim);

/// Throws InputError, without the place, if `text` is not well-formed UTF-8.
void check_utf8(std::string_view text);

}  // namespace gausscse
