#include "data/retrieval/entailment_queries.hpp"

#include <algorithm>
#include <string_view>

#include "base/error.hpp"
#include "data/corpus/string_table.hpp"

namespace gausscse {

namespace {

/// Queries that are found by their texts, over documents that are all known.
class QueriesByText {
 public:
  explicit QueriesByText(const StringTable& documents) : documents_(documents) {}

  /// Adds a query, unless it is known, and a document that is relevant to it, unless this is the query's own text.
  void add(std::string_view query, std::string_view document) {
    const std::uint32_t number = numbers_.intern(query);
    if (number == queries_.size())
      queries_.push_back({std::string(query), std::string(query), {}, documents_.find(query)});
    RetrievalQuery& of_text = queries_[number];
    const RelevantDocument relevant{*documents_.find(document), 1};
    if (relevant.document == of_text.left_out) return;
    if (std::find(of_text.relevant.begin(), of_text.relevant.end(), relevant) == of_text.relevant.end())
      of_text.relevant.push_back(relevant);
  }

  /// Returns the set of these queries. Throws InputError where none has a relevant document.
  RetrievalSet finish(const std::filesystem::path& file) && {
    RetrievalSet set;
    for (std::size_t i = 0; i < documents_.size(); ++i)
      set.documents.emplace_back(documents_[static_cast<std::uint32_t>(i)]);
    set.queries = std::move(queries_);
    leave_out_without_relevant(set);
    if (set.queries.empty())
      throw InputError(concat(file.string(), ": no sentence is entailed by another one, so there is no query: give a ",
                              "set with entailments"));
    return set;
  }

 private:
  const StringTable& documents_;
  StringTable numbers_;
  std::vector<RetrievalQuery> queries_;
};

/// Calls `add` for each pair of the file, of SICK of all rows. The reading of queries reports bad lines.
template <typename Add>
void for_each_pair_of_file(const std::filesystem::path& file, ReadOptions options, const Add& add) {
  options.sick_set.clear();
  ReadReport of_documents;
  for_each_nli_pair(file, options, of_documents, add);
}

}  // namespace

RetrievalSet read_entailed_hypotheses(const std::filesystem::path& file, const ReadOptions& options,
                                      ReadReport& report) {
  StringTable documents;
  for_each_pair_of_file(file, options, [&](const NliPair& pair) { documents.intern(pair.premise); });
  QueriesByText queries(documents);
  for_each_nli_pair(file, options, report, [&](const NliPair& pair) {
    if (pair.label == NliLabel::entailment) queries.add(pair.hypothesis, pair.premise);
  });
  RetrievalSet set = std::move(queries).finish(file);
  set.of_sick = detect_format(file, options.layout) != CorpusFormat::nli;
  return set;
}

RetrievalSet read_one_way_sentences(const std::filesystem::path& file, const ReadOptions& options, ReadReport& report) {
  if (detect_format(file, options.layout) != CorpusFormat::sick_full)
    throw InputError(concat(file.string(),
                            ": has no columns entailment_AB and entailment_BA, which show the pairs that ",
                            "entail in one direction only: give SICK.txt, SICK's full release, or set from to nli"));
  StringTable documents;
  for_each_pair_of_file(file, options, [&](const NliPair& pair) {
    documents.intern(pair.premise);
    documents.intern(pair.hypothesis);
  });
  QueriesByText queries(documents);
  for_each_nli_pair(file, options, report, [&](const NliPair& pair) {
    const bool forward = pair.label == NliLabel::entailment;
    if (forward && !pair.hypothesis_entails_premise) queries.add(pair.hypothesis, pair.premise);
    if (!forward && pair.hypothesis_entails_premise) queries.add(pair.premise, pair.hypothesis);
  });
  RetrievalSet set = std::move(queries).finish(file);
  set.of_sick = true;
  return set;
}

}  // namespace gausscse
