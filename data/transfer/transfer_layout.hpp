#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/choice.hpp"

namespace gausscse {

/// The classification tasks of SentEval that sentence vectors are measured by.
enum class TransferDataset {
  mr,              ///< film reviews, negative or positive
  cr,              ///< product reviews, negative or positive
  subj,            ///< subjective or objective
  mpqa,            ///< opinions, negative or positive
  sst2,            ///< Stanford Sentiment Treebank, two classes
  sst5,            ///< the same, five classes
  trec,            ///< kind of answer that a question asks for, six classes
  mrpc,            ///< paraphrases or not, of two sentences
  sick_entailment  ///< SICK: contradiction, neutral, entailment
};

template <>
inline constexpr NameTable<TransferDataset, 9> names<TransferDataset>{
    {{TransferDataset::mr, "MR"},
     {TransferDataset::cr, "CR"},
     {TransferDataset::subj, "SUBJ"},
     {TransferDataset::mpqa, "MPQA"},
     {TransferDataset::sst2, "SST2"},
     {TransferDataset::sst5, "SST5"},
     {TransferDataset::trec, "TREC"},
     {TransferDataset::mrpc, "MRPC"},
     {TransferDataset::sick_entailment, "SICKEntailment"}}};

/// Way in which the accuracy of a task is measured.
enum class TransferProtocol {
  nested_cross_validation,  ///< one set: each fold is tested, the others choose by a cross-validation among themselves
  cross_validation,         ///< a training set, by whose cross-validation is chosen, and a test set
  development_set           ///< a training set, one to choose by, and a test set
};

/// Files, fields and protocol of a task.
struct TransferLayout {
  TransferProtocol protocol;
  bool pairs;                        ///< true if two sentences belong to an example
  std::vector<std::string> classes;  ///< their names; a label is a place in this list
  /// Within the folder of all tasks, in the order training set, set to choose by, test set; of one set that of label 1
  /// before that of label 0.
  std::vector<std::filesystem::path> files;
};

const TransferLayout& layout_of(TransferDataset dataset);

/// Returns the files of a task, under the folder of all.
std::vector<std::filesystem::path> transfer_files(TransferDataset dataset, const std::filesystem::path& folder);

/// Returns the task's files that are missing.
std::vector<std::filesystem::path> missing_transfer_files(TransferDataset dataset, const std::filesystem::path& folder);

}  // namespace gausscse
