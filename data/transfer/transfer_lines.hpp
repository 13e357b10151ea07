#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// A sentence, or two of which something is asked, and their class. Words have single blanks between them, as
/// SentEval joins them; a sentence may have none.
struct TransferExample {
  std::string first, second = {};
  std::uint32_t label = 0;
  bool operator==(const TransferExample&) const = default;
};

// Lines of the tasks' files. `classes` are the words of the labels. They throw InputError, without the place, for
// another number of parts and for a label that is none of the classes.

/// Returns `sentence<tab>label`: SST2.
TransferExample sentence_and_label(std::string_view line, const std::vector<std::string>& classes);

/// Returns `label sentence`: SST5.
TransferExample label_and_sentence(std::string_view line, const std::vector<std::string>& classes);

/// Returns `LABEL:finer sentence`: TREC.
TransferExample question(std::string_view line, const std::vector<std::string>& classes);

/// Returns the class that `word` names.
std::uint32_t class_of(std::string_view word, const std::vector<std::string>& classes);

enum class TextEncoding { utf8, latin1 };

/// Characters at which a text is cut into lines, besides LF, CR LF and CR.
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
