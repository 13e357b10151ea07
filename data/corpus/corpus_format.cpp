#include "data/corpus/corpus_format.hpp"

#include <algorithm>
#include <initializer_list>

namespace gausscse {

CorpusFormat recognise_format(const RowSource& rows) {
  const auto has_any = [&](std::initializer_list<std::string_view> names) {
    return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return rows.has_column(name); });
  };
  if (has_any({"sent0", "sent1", "hard_neg"})) return CorpusFormat::triples;
  if (has_any({"sentence_A", "sentence_B"}))
    return has_any({"entailment_judgment"}) ? CorpusFormat::sick_semeval : CorpusFormat::sick_full;
  // The first line of JSON may be a bad one without any.
  if (has_any({"sentence1", "sentence2", "gold_label"}) || rows.header().empty()) return CorpusFormat::nli;
  rows.refuse_header(
      "pairs with labels need gold_label (or label), sentence1, sentence2; those of SICK sentence_A, sentence_B and "
      "entailment_judgment or entailment_label; triples need sent0,sent1,hard_neg (premise, entailed, contradicted)");
}

CorpusFormat detect_format(const std::filesystem::path& path) {
  FileSource source(path);
  return recognise_format(RowSource(source, path.string()));
}

}  // namespace gausscse
