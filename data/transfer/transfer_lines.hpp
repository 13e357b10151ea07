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

/// `sentence<tab>label`: SST2.
TransferExample sentence_and_label(std::string_view line, const std::vector<std::string>& classes);

/// `label sentence`: SST5.
TransferExample label_and_sentence(std::string_view line, const std::vector<std::string>& classes);

/// `LABEL:finer sentence`: TREC.
TransferExample question(std::string_view line, const std::vector<std::string>& classes);

/// Where the parts of a line with five columns between tabs stand.
struct PairColumns {
  std::size_t first, second, label;
};
inline constexpr PairColumns mrpc_columns{3, 4, 0}, sick_columns{1, 2, 4};

TransferExample labelled_pair(std::string_view line, const std::vector<std::string>& classes,
                              const PairColumns& columns);

/// Whether the line is one of two sentences and a label, where a header should be.
bool is_labelled_pair(std::string_view line, const std::vector<std::string>& classes, const PairColumns& columns);

}  // namespace gausscse
