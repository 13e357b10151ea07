#pragma once

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

}  // namespace gausscse
