#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// Returns the sentences of a text of one or more lines, as `gausscse split --locale` prints them: none goes on in the
/// next line. Throws InputError for text that is not UTF-8, and as SentenceSplitter for the language.
std::vector<std::string> sentences_of(std::string_view text, const std::string& language_tag);

}  // namespace gausscse
