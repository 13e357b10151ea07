#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gausscse {

/// Properties of code points as the `tokenizers` library (0.23) sees them. It carries tables of several Unicode
/// versions: 8.0 for BERT's categories, 9.0 for normalization forms, 16.0 for the byte-level pattern and whole-word
/// tests, 17.0 for lower case. All functions take any code point that is not a surrogate.

/// Returns whether the character is White_Space, the same in all these versions.
bool is_white_space(char32_t c);

/// Returns whether BERT's clean_text removes the character: U+0000, U+FFFD, control, format and private-use characters;
/// not tab, line feed and carriage return.
bool is_removed_by_clean_text(char32_t c);

/// Returns whether BERT isolates the character as a word: ASCII punctuation and symbols, and category P.
bool is_bert_punctuation(char32_t c);

/// Returns true for the CJK blocks that BERT sets spaces around.
bool is_cjk_ideograph(char32_t c);

/// Returns whether the character is of category Mn, which strip_accents removes after decomposition.
bool is_nonspacing_mark(char32_t c);

/// Returns the Canonical_Combining_Class, 0 to 254.
std::uint8_t combining_class(char32_t c);

/// Appends the full canonical decomposition of `c` (`c` itself where it has none).
void append_decomposition(char32_t c, std::u32string& out);

/// Unicode's normalization forms.
enum class UnicodeForm : std::uint8_t { nfc, nfkc };

/// Appends well-formed UTF-8 in a normalization form to `out`, unless it is in that form already; returns whether it
/// appended. Characters that came after Unicode 9.0 stay as they are.
bool append_normalized(UnicodeForm form, std::string_view text, std::string& out);

/// Appends the lower case of `c` without regard to context: one code point, two for U+0130.
void append_lower_case(char32_t c, std::u32string& out);

/// Classes that the byte-level pattern distinguishes: \p{L}, \p{N}, \s and everything else.
enum class ByteLevelClass : std::uint8_t { letter, number, space, other };
ByteLevelClass byte_level_class(char32_t c);

/// Returns whether the character is \w of a Unicode regular expression: Alphabetic, marks, decimal numbers, connector
/// punctuation, joiners.
bool is_word_character(char32_t c);

}  // namespace gausscse
