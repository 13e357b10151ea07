#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gausscse {

/// Returns `text` as it may stand in an element and in an attribute between double quotes, of HTML, SVG and XML alike:
/// nothing in it is markup. Bytes that are not UTF-8 become U+FFFD; control characters but tab and line break, and
/// characters that change the direction of writing, become their numbers, such as "[U+202E]".
std::string html_escaped(std::string_view text);

/// Returns the first `limit` code points of `text`, with an ellipsis in place of the rest. Bytes that are not UTF-8
/// count one by one.
std::string shortened(std::string_view text, std::size_t limit);

}  // namespace gausscse
