#include "data/sts/sick_relatedness.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "data/corpus/byte_source.hpp"
#include "data/corpus/corpus_format.hpp"
#include "data/corpus/line_reader.hpp"
#include "data/corpus/sentence.hpp"
#include "data/sts/sts_fields.hpp"

namespace gausscse {

namespace {

/// Places of the columns that are read; `set` only in the full release.
struct Columns {
  std::size_t first, second, score, set, needed;
};

Columns columns_of(const std::vector<std::string_view>& header, bool with_set, const std::string& place) {
  const auto place_of = [&](std::string_view name) {
    const auto found = std::find(header.begin(), header.end(), name);
    if (found == header.end()) throw InputError(concat(place, ": the header of SICK lacks the column ", quoted(name)));
    return static_cast<std::size_t>(found - header.begin());
  };
  Columns columns{place_of("sentence_A"), place_of("sentence_B"), place_of("relatedness_score"),
                  with_set ? place_of("SemEval_set") : 0, 0};
  columns.needed = std::max({columns.first, columns.second, columns.score, columns.set}) + 1;
  return columns;
}

}  // namespace

std::vector<StsPair> read_sick_relatedness(const std::filesystem::path& path) {
  FileSource source(path);
  return read_sick_relatedness(source, path.string());
}

std::vector<StsPair> read_sick_relatedness(ByteSource& source, const std::string& name) {
  LineReader lines(source, name);
  std::string_view line;
  if (!lines.next_not_blank(line)) throw InputError(concat(name, ": the file is empty: give a file of SICK"));
  const std::string header(line);
  const CorpusFormat format = recognise_format(header, name, lines.line_number());
  if (format != CorpusFormat::sick_full && format != CorpusFormat::sick_semeval)
    throw InputError(concat(name, ": is not SICK: its header has no sentence_A and sentence_B"));
  const bool full = format == CorpusFormat::sick_full;
  const Columns columns = columns_of(split_at_tabs(header, most_fields), full, at_line(name, lines.line_number()));
  std::vector<StsPair> pairs;
  while (lines.next_not_blank(line)) {
    const std::string place = at_line(name, lines.line_number());
    const std::vector<std::string_view> fields = split_at_tabs(line, most_fields);
    if (fields.size() < columns.needed)
      throw InputError(concat(place, ": the row has ", fields.size(), " fields, but ", columns.needed, " are needed"));
    if (full && fields[columns.set] != "TEST") continue;
    const double score = checked_score(fields[columns.score], name, lines.line_number());
    try {
      pairs.push_back({std::string(checked_sentence(fields[columns.first], "sentence_A", false)),
                       std::string(checked_sentence(fields[columns.second], "sentence_B", false)), score});
    } catch (const InputError& error) {
      throw InputError(concat(place, ": ", error.what()));
    }
  }
  if (pairs.empty()) throw InputError(concat(name, ": has no pair to measure on"));
  return pairs;
}

}  // namespace gausscse
