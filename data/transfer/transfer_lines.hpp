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

}  // namespace gausscse
