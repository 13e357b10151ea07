#include "data/retrieval/beir_folder.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/row_source.hpp"
#include "data/corpus/sentence.hpp"
#include "data/source/text_source.hpp"

namespace gausscse {

namespace {

/// Ids of a file, numbered in their order.
class Ids {
 public:
  explicit Ids(const std::filesystem::path& file) : file_(file.filename().string()) {}

  /// Throws InputError, without the place, for an id that is there already.
  void add(std::string_view id) {
    if (!numbers_.emplace(id, static_cast<std::uint32_t>(numbers_.size())).second)
      throw InputError(concat("the _id ", quoted(id), " is there already: give each line its own"));
  }

  const std::uint32_t* find(const std::string& id) const {
    const auto found = numbers_.find(id);
    return found == numbers_.end() ? nullptr : &found->second;
  }

  /// Throws InputError, without the place, for an id that `column` of the judgements names and the file lacks.
  std::uint32_t number_of(std::string_view id, std::string_view column) const {
    if (const std::uint32_t* const number = find(std::string(id))) return *number;
    throw InputError(concat("the ", column, " ", quoted(id), " is no _id of ", file_));
  }

 private:
  std::string file_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Calls parse(rows) for each row of a file.
template <typename Parse>
void for_each_row(ByteSource& source, const std::filesystem::path& file, std::string_view items,
                  std::vector<RowColumn> columns, std::string_view item, BadLines bad_lines, ReadReport& report,
                  const Parse& parse) {
  RowSource rows(source, file.string());
  rows.select(items, std::move(columns));
  LineTally lines(file.string(), bad_lines, report);
  while (rows.next(lines, [&] { parse(rows); })) {
  }
  lines.finish(item);
}

void read_documents(ByteSource& source, const std::filesystem::path& file, BadLines bad_lines, ReadReport& report,
                    Ids& ids, std::vector<std::string>& documents) {
  for_each_row(source, file, "documents", {{{"_id"}}, {{"text"}}, {.names = {"title"}, .needed = false}}, "document",
               bad_lines, report, [&](const RowSource& rows) {
                 const std::string_view title = rows.has(2) ? rows.text(2) : std::string_view();
                 const std::string text = concat(title, title.empty() ? "" : " ", rows.text(1));
                 const std::string_view checked = checked_sentence(text, "text", true);
                 ids.add(rows.scalar(0));
                 documents.emplace_back(checked);
               });
}

void read_queries(ByteSource& source, const std::filesystem::path& file, bool trim, BadLines bad_lines,
                  ReadReport& report, Ids& ids, std::vector<RetrievalQuery>& queries) {
  for_each_row(source, file, "queries", {{{"_id"}}, {{"text"}}}, "query", bad_lines, report,
               [&](const RowSource& rows) {
                 const std::string_view text = rows.sentence(1, trim);
                 ids.add(rows.scalar(0));
                 queries.push_back({std::string(rows.scalar(0)), std::string(text), {}});
               });
}

std::int32_t parse_grade(std::string_view given) {
  const std::string_view text = without_zeros_behind_point(trimmed(given));
  std::int32_t grade = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), grade);
  if (error != std::errc() || end != text.data() + text.size())
    throw InputError(concat("the score ", quoted(given), " is not a whole number: 0 is not relevant, 1 and more are"));
  return grade;
}

}  // namespace

RetrievalSet read_beir_set(BeirSources sources, const BeirFiles& names, bool trim, BadLines bad_lines,
                           ReadReport& report) {
  RetrievalSet set;
  Ids documents(names.corpus), queries(names.queries);
  read_documents(sources.corpus, names.corpus, bad_lines, report, documents, set.documents);
  read_queries(sources.queries, names.queries, trim, bad_lines, report, queries, set.queries);
  std::unordered_set<std::uint64_t> judged;
  for_each_row(sources.judgements, names.judgements, "judgements", {{{"query-id"}}, {{"corpus-id"}}, {{"score"}}},
               "judgement", bad_lines, report, [&](const RowSource& rows) {
                 const std::uint32_t query = queries.number_of(rows.scalar(0), "query-id");
                 const std::uint32_t document = documents.number_of(rows.scalar(1), "corpus-id");
                 const std::int32_t grade = parse_grade(rows.scalar(2));
                 if (!judged.insert(std::uint64_t{query} << 32 | document).second)
                   throw InputError("the query and the document were judged in an earlier line: give one score");
                 if (grade > 0) set.queries[query].relevant.push_back({document, grade});
               });
  for (RetrievalQuery& query : set.queries) {
    const std::uint32_t* const own = documents.find(query.name);
    const auto is_own = [&](const RelevantDocument& each) { return each.document == *own; };
    if (own && std::none_of(query.relevant.begin(), query.relevant.end(), is_own)) query.left_out = *own;
  }
  leave_out_without_relevant(set);
  if (set.queries.empty())
    throw InputError(concat(names.judgements.string(), ": no query has a document with a score of 1 or more: give the ",
                            "judgements of these queries"));
  return set;
}

RetrievalSet read_beir_folder(const BeirFiles& files, bool trim, BadLines bad_lines, ReadReport& report) {
  TextSource corpus(files.corpus), queries(files.queries), judgements(files.judgements);
  return read_beir_set({corpus, queries, judgements}, files, trim, bad_lines, report);
}

}  // namespace gausscse
