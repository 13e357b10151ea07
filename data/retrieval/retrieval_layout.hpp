#pragma once

#include <filesystem>
#include <string>

#include "base/choice.hpp"

namespace gausscse {

/// Source of the queries, the documents and the relevance of a retrieval set.
enum class RetrievalFrom {
  beir,  ///< a folder in BEIR's layout
  nli,   ///< a file of NLI: entailed hypotheses look for their premises
  sick   ///< SICK.txt: sentences that are entailed in one direction only look for the sentences that entail them
};

template <>
inline constexpr NameTable<RetrievalFrom, 3> names<RetrievalFrom>{
    {{RetrievalFrom::beir, "beir"}, {RetrievalFrom::nli, "nli"}, {RetrievalFrom::sick, "sick"}}};

/// Files of a folder in BEIR's layout (Thakur et al. 2021).
struct BeirFiles {
  std::filesystem::path corpus, queries, judgements;
};

inline BeirFiles beir_files(const std::filesystem::path& folder, const std::string& split) {
  return {folder / "corpus.jsonl", folder / "queries.jsonl", folder / "qrels" / (split + ".tsv")};
}

}  // namespace gausscse
