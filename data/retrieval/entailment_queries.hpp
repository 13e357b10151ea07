#pragma once

#include <filesystem>

#include "data/corpus/corpus_readers.hpp"
#include "data/retrieval/retrieval_set.hpp"

namespace gausscse {

/// Makes a retrieval set of an NLI corpus. The queries are the distinct hypotheses of pairs with the label entailment;
/// relevant to one are the premises that entail it, with grade 1. The documents are the distinct premises of the whole
/// file, of any label; of SICK's full release also those of the rows that `options.sick_set` leaves out. The
/// document with a query's own text is left out for it. Throws as `for_each_nli_pair`, and where no query is left.
RetrievalSet read_entailed_hypotheses(const std::filesystem::path& file, const ReadOptions& options,
                                      ReadReport& report);

/// Makes a retrieval set of SICK's full release. The queries are distinct sentences of the rows of `options.sick_set`.
/// The other sentence of their pair entails them, and they do not entail it. Relevant to a query are these other
/// sentences, with grade 1. The documents are all distinct sentences of the file, but for each query without itself.
/// Throws as `read_entailed_hypotheses`, and for a file without the columns entailment_AB and entailment_BA.
RetrievalSet read_one_way_sentences(const std::filesystem::path& file, const ReadOptions& options, ReadReport& report);

}  // namespace gausscse
