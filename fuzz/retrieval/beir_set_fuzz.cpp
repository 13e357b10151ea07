#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/retrieval/beir_folder.hpp"

// Corpus, queries and judgements, with a NUL between them. A set that is read has texts that are well-formed, and
// queries whose relevant documents are there, each once.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const auto next_part = [&] {
    const std::size_t end = rest.find('\0');
    const std::string_view part = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    return part;
  };
  MemorySource corpus(next_part()), queries(next_part()), judgements(rest);
  try {
    ReadReport report;
    const RetrievalSet set =
        read_beir_set({corpus, queries, judgements}, beir_files("folder", "test"), true, BadLines::skip, report);
    if (set.queries.empty()) std::abort();
    for (const std::string& document : set.documents)
      if (document.empty() || find_invalid_utf8(document) != std::string_view::npos) std::abort();
    for (const RetrievalQuery& query : set.queries) {
      if (query.text.empty() || query.relevant.empty() || find_invalid_utf8(query.text) != std::string_view::npos)
        std::abort();
      if (query.left_out && *query.left_out >= set.documents.size()) std::abort();
      std::vector<bool> seen(set.documents.size());
      for (const RelevantDocument& relevant : query.relevant) {
        if (relevant.grade < 1 || relevant.document == query.left_out || seen.at(relevant.document)) std::abort();
        seen[relevant.document] = true;
      }
    }
  } catch (const InputError&) {
  }
  return 0;
}
