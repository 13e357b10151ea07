#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

enum class TextEncoding { utf8, latin1 };

/// Where a text is cut into lines, besides LF, CR LF and CR.
enum class LineEnds {
  of_files,  ///< nowhere: as Python iterates over a file
  of_text    ///< at vertical tabs, form feeds, U+001C to U+001E and U+0085, too: Python's str.splitlines of Latin-1
};

/// Returns the lines of a text, without their ends, in UTF-8. A last line without an end is a line; there is none after
/// the last end. Bytes that are not UTF-8 stay as they are. `name` is shown as the text's file in messages. Throws
/// InputError for a text that is empty, and for one that is no text by its first bytes.
std::vector<std::string> text_lines(std::string_view bytes, const std::string& name, TextEncoding encoding,
                                    LineEnds ends);

}  // namespace gausscse
