#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/read_report.hpp"
#include "data/transfer/transfer_layout.hpp"

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

/// The examples of a task, each set sorted as SentEval sorts it. The order is by the number of words, of pairs of the
/// first sentence and then of the second, then by label; equal ones stay as in the files. Folds depend on it.
struct TransferExamples {
  TransferDataset dataset;
  std::vector<TransferExample> train;
  std::vector<TransferExample> development;  ///< empty where the task has none
  std::vector<TransferExample> test;         ///< empty where the folds are tested
};

/// Reads a task from a folder that is laid out as SentEval's data/downstream (layout_of). MR, CR, SUBJ, MPQA and TREC
/// are read as Latin-1, the others as UTF-8. Throws InputError for a file that cannot be read or is empty, a header
/// without the columns, and a class that no example of the training set has. On a line that does not fit the task, or
/// is not UTF-8, it acts as `bad_lines` says. Adds to `report`.
TransferExamples read_transfer_dataset(TransferDataset dataset, const std::filesystem::path& folder, BadLines bad_lines,
                                       ReadReport& report);

/// Returns the examples that the bytes of one of the task's files hold, as they stand there, not sorted.
/// `label_of_file` is that of all of them where a task has a file for each class, else without meaning; `name` is shown
/// as the file in messages. Throws InputError for faults of the file by itself, as above.
std::vector<TransferExample> transfer_examples_of(TransferDataset dataset, std::string_view bytes,
                                                  const std::string& name, std::uint32_t label_of_file,
                                                  BadLines bad_lines, ReadReport& report);

/// Sorts as above.
void sort_examples(std::vector<TransferExample>& examples);

}  // namespace gausscse
