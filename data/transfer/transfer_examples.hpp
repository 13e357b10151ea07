#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/read_report.hpp"
#include "data/transfer/transfer_layout.hpp"
#include "data/transfer/transfer_lines.hpp"

namespace gausscse {

/// The examples of a task, each set sorted as SentEval sorts it: by the number of words, of pairs of the first sentence
/// and then of the second, then by label; equal ones as in the files. Folds depend on it.
struct TransferExamples {
  TransferDataset dataset;
  std::vector<TransferExample> train;
  std::vector<TransferExample> development;  ///< empty where the task has none
  std::vector<TransferExample> test;         ///< empty where the folds are tested
};

/// Reads a task from a folder that is laid out as SentEval's data/downstream (layout_of). MR, CR, SUBJ, MPQA and TREC
/// are read as Latin-1, the others as UTF-8. Throws InputError for a file that cannot be read or is empty, a header
/// without the columns, a class that no example of the training set has; on a line that is not as the task's must be,
/// or not UTF-8, as `bad_lines` says. Adds to `report`.
TransferExamples read_transfer_dataset(TransferDataset dataset, const std::filesystem::path& folder, BadLines bad_lines,
                                       ReadReport& report);

/// Returns the examples that the bytes of one of the task's files hold, as they stand there, not sorted.
/// `label_of_file` is that of all of them where a task has a file for each class, else without meaning; `name` is shown
/// as the file in messages. Throws InputError for what is wrong with the file by itself, as above.
std::vector<TransferExample> transfer_examples_of(TransferDataset dataset, std::string_view bytes,
                                                  const std::string& name, std::uint32_t label_of_file,
                                                  BadLines bad_lines, ReadReport& report);

/// Sorts as above.
void sort_examples(std::vector<TransferExample>& examples);

}  // namespace gausscse
