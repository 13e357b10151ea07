#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gausscse {

/// Document that is right for a query.
struct RelevantDocument {
  std::uint32_t document;  ///< number of the document
  std::int32_t grade;      ///< its relevance, from 1 on
  bool operator==(const RelevantDocument&) const = default;
};

/// A query and the documents that it should find.
struct RetrievalQuery {
  std::string name;  ///< id of the query; its text where it has no id
  std::string text;
  std::vector<RelevantDocument> relevant;  ///< one at least, each document once
  /// Document that is not ranked for this query, as it is the query itself; it is none of `relevant`.
  std::optional<std::uint32_t> left_out = {};
  bool operator==(const RetrievalQuery&) const = default;
};

/// Queries, and the documents that each of them is compared with.
struct RetrievalSet {
  std::vector<std::string> documents;  ///< texts, in the file's order
  std::vector<RetrievalQuery> queries;
  std::size_t without_relevant = 0;  ///< number of queries that are left out, as no document is relevant to them
  bool of_sick = false;              ///< true if it is made of a file of SICK
};

/// Removes the queries without a relevant document and counts them.
inline void leave_out_without_relevant(RetrievalSet& set) {
  set.without_relevant +=
      std::erase_if(set.queries, [](const RetrievalQuery& query) { return query.relevant.empty(); });
}

}  // namespace gausscse
