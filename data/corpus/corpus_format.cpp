#include "data/corpus/corpus_format.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "base/utf8.hpp"
#include "data/corpus/byte_source.hpp"
#include "data/corpus/csv_reader.hpp"
#include "data/corpus/line_reader.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

constexpr std::size_t max_header_columns = 256;

constexpr std::string_view layouts =
    "SNLI or MNLI jsonl (a JSON object a line); SNLI or MNLI txt (tab-separated, with gold_label, sentence1, "
    "sentence2); SICK (tab-separated, with sentence_A, sentence_B, and entailment_label or entailment_judgment); "
    "triples CSV (header sent0,sent1,hard_neg)";

using Columns = std::vector<std::string_view>;

bool has(const Columns& columns, std::string_view name) {
  return std::find(columns.begin(), columns.end(), name) != columns.end();
}

[[noreturn]] void refuse(const std::string& place, std::string_view why) {
  throw InputError(concat(place, ": ", why, "; layouts that are read: ", layouts));
}

void need(const Columns& columns, std::initializer_list<std::string_view> names, const std::string& place,
          std::string_view layout) {
  for (const std::string_view name : names) {
    if (has(columns, name)) continue;
    std::vector<std::string> present;
    for (const std::string_view column : columns) {
      const bool another = std::find(names.begin(), names.end(), column) != names.end();
      if (!another && column.size() <= 40) present.emplace_back(column);
    }
    refuse(place, concat("the header of ", layout, " lacks the column \"", name, "\"", nearest_name(name, present)));
  }
}

CorpusFormat recognise_tab_separated(const Columns& columns, const std::string& place) {
  if (has(columns, "sentence_A") || has(columns, "sentence_B")) {
    need(columns, {"sentence_A", "sentence_B"}, place, "SICK");
    if (has(columns, "entailment_judgment")) return CorpusFormat::sick_semeval;
    need(columns, {"entailment_label", "entailment_AB", "entailment_BA", "SemEval_set"}, place, "SICK's full release");
    return CorpusFormat::sick_full;
  }
  // GLUE's files of two labels have a column "label".
  const char* label = has(columns, "label") && !has(columns, "gold_label") ? "label" : "gold_label";
  need(columns, {label, "sentence1", "sentence2"}, place, "a tab-separated NLI corpus");
  return CorpusFormat::nli_txt;
}

CorpusFormat recognise_comma_separated(std::string_view line, const std::string& path, const std::string& place) {
  MemorySource source(line);
  CsvReader reader(source, path);
  std::vector<std::string> header;
  reader.next(header);
  if (header == std::vector<std::string>{"sent0", "sent1", "hard_neg"}) return CorpusFormat::triples_csv;
  if (header == std::vector<std::string>{"sent0", "sent1"}) {
    refuse(place, "the header sent0,sent1 is that of pairs; triples need a third column, hard_neg");
  }
  refuse(place, concat("the header ", quoted(line), " is not that of triples, which is sent0,sent1,hard_neg"));
}

}  // namespace

std::vector<std::string_view> split_at_tabs(std::string_view line, std::size_t max_parts) {
  std::vector<std::string_view> parts;
  while (parts.size() + 1 < max_parts) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string_view::npos) break;
    parts.push_back(line.substr(0, tab));
    line.remove_prefix(tab + 1);
  }
  parts.push_back(line);
  return parts;
}

CorpusFormat recognise_format(std::string_view first_line, const std::string& path, std::size_t line_number) {
  const std::string place = at_line(path, line_number);
  refuse_other_file(first_line, path);
  if (find_invalid_utf8(first_line) != std::string_view::npos) {
    refuse(place, concat("the first line, ", quoted(first_line, 40), ", is not UTF-8 text"));
  }
  const std::string_view text = trimmed(first_line);
  if (text.starts_with('{')) return CorpusFormat::nli_jsonl;
  if (text.starts_with('[')) refuse(place, "a JSON array; a JSON corpus has one object {...} a line");
  if (first_line.find('\t') != std::string_view::npos) {
    const Columns columns = split_at_tabs(first_line, max_header_columns + 1);
    if (columns.size() > max_header_columns)
      refuse(place, concat("the header has over ", max_header_columns, " columns"));
    return recognise_tab_separated(columns, place);
  }
  if (first_line.find(',') != std::string_view::npos) return recognise_comma_separated(first_line, path, place);
  refuse(place, concat("the first line, ", quoted(first_line), ", belongs to no layout that is read"));
}

CorpusFormat detect_format(const std::filesystem::path& path) {
  FileSource source(path);
  LineReader lines(source, path.string());
  std::string_view line;
  if (!lines.next_not_blank(line)) {
    throw InputError(concat(path.string(), ": the file is empty, so there is nothing to read: check that it is whole"));
  }
  return recognise_format(line, path.string(), lines.line_number());
}

}  // namespace gausscse
