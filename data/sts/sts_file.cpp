#include "data/sts/sts_file.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "data/corpus/corpus_format.hpp"
#include "data/corpus/csv_reader.hpp"
#include "data/corpus/line_reader.hpp"
#include "data/corpus/sentence.hpp"
#include "data/sts/sts_fields.hpp"

namespace gausscse {

namespace {

using Kind = StsLayout::Kind;
using Fields = std::vector<std::string_view>;

/// Fields that a line is split into at most; the last one has the rest.
constexpr std::size_t most_fields = 64;

/// Names of the columns of a layout with a header.
struct ColumnNames {
  Kind kind;
  std::string_view first, second, part;
  std::vector<std::string> scores;  ///< any one of them
};

const std::array<ColumnNames, 2>& known_headers() {
  static const std::array<ColumnNames, 2> headers{
      {{Kind::sick, "sentence_A", "sentence_B", "SemEval_set", {"relatedness_score"}},
       {Kind::named, "sentence1", "sentence2", "split", {"score", "similarity_score"}}}};
  return headers;
}

bool has(const Fields& fields, std::string_view name) {
  return std::find(fields.begin(), fields.end(), name) != fields.end();
}

/// The place of the only column called `name`. Throws InputError, without the place in the file.
std::size_t column(const Fields& header, std::string_view name) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end())
    throw InputError(concat("the header lacks the column ", quoted(name),
                            ", which a set of sentence pairs with people's scores needs: give a file that has it"));
  if (std::find(found + 1, header.end(), name) != header.end())
    throw InputError(
        concat("the header names the column ", quoted(name), " twice, so its value is ambiguous: rename one"));
  return static_cast<std::size_t>(found - header.begin());
}

StsLayout layout_of(const Fields& header, const ColumnNames& names) {
  StsLayout layout{.kind = names.kind};
  layout.first = column(header, names.first);
  layout.second = column(header, names.second);
  const auto score = std::find_if(names.scores.begin(), names.scores.end(),
                                  [&](const std::string& name) { return has(header, name); });
  layout.score = column(header, score == names.scores.end() ? names.scores.front() : *score);
  if (has(header, names.part)) layout.part = column(header, names.part);
  return layout;
}

StsLayout layout_of(const Fields& fields, bool commas, std::string_view line) {
  for (const ColumnNames& names : known_headers())
    if (has(fields, names.first) || has(fields, names.second)) return layout_of(fields, names);
  if (!commas && fields.size() >= 7 && parse_score(fields[4])) return {.first = 5, .second = 6, .score = 4};
  if (fields.size() == 3 && parse_score(fields[2])) return {.kind = Kind::triple, .first = 0, .second = 1, .score = 2};
  throw InputError(concat(
      "the first line, ", quoted(line),
      ", is of no layout of sentence pairs with scores; layouts that are read: a header ",
      "with sentence1, sentence2 and score, or SICK's with sentence_A, sentence_B and relatedness_score; without a ",
      "header the STS benchmark's genre, file, year, number, score, sentence, sentence, or sentence, sentence, score; ",
      "each with tabs or as CSV; or the folder of one year of SemEval's STS"));
}

/// Fields of one record of CSV.
std::vector<std::string> fields_of_csv(std::string_view line, const std::string& name) {
  MemorySource source(line);
  CsvReader reader(source, name);
  std::vector<std::string> fields;
  reader.next(fields);
  return fields;
}

/// Rows of a file, as fields that are valid until the next one.
class Rows {
 public:
  Rows(ByteSource& source, const std::string& name, bool commas) {
    if (commas)
      records_.emplace(source, name);
    else
      lines_.emplace(source, name);
  }

  bool next(Fields& fields) {
    std::string_view line;
    if (lines_) {
      if (!lines_->next_not_blank(line)) return false;
      fields = split_at_tabs(line, most_fields);
      return true;
    }
    do {
      if (!records_->next(record_)) return false;
    } while (record_.empty());
    fields.assign(record_.begin(), record_.end());
    return true;
  }

  std::size_t line_number() const { return lines_ ? lines_->line_number() : records_->line_number(); }

 private:
  std::optional<LineReader> lines_;
  std::optional<CsvReader> records_;
  std::vector<std::string> record_;
};

StsPair pair_of(const Fields& fields, const StsLayout& layout) {
  if (layout.kind == Kind::named && fields.size() > layout.columns)
    throw InputError(concat("the row has ", fields.size(), " fields, but the header ", layout.columns,
                            ": a separator within a sentence makes two of it"));
  const auto sentence = [&](std::size_t column, const char* name) {
    return std::string(checked_sentence(fields[column], name, false));
  };
  const double score = checked_score(fields[layout.score]);
  return {sentence(layout.first, "the first"), sentence(layout.second, "the second"), score};
}

void check_fields(const Fields& fields, const StsLayout& layout) {
  const std::size_t needed = std::max({layout.first, layout.second, layout.score, layout.part.value_or(0)}) + 1;
  if (fields.size() < needed)
    throw InputError(concat("the row has ", fields.size(), " fields, but ", needed, " are needed"));
}

}  // namespace

StsLayout recognise_sts_layout(ByteSource& source, const std::string& name) {
  LineReader lines(source, name);
  std::string_view line;
  if (!lines.next_not_blank(line))
    throw InputError(concat(name, ": the file is empty: give a file of sentence pairs with scores"));
  refuse_other_file(line, name);
  const bool commas = line.find('\t') == std::string_view::npos && line.find(',') != std::string_view::npos;
  std::vector<std::string> record;
  if (commas) record = fields_of_csv(line, name);
  const Fields fields = commas ? Fields(record.begin(), record.end()) : split_at_tabs(line, most_fields);
  try {
    StsLayout layout = layout_of(fields, commas, line);
    layout.commas = commas;
    layout.columns = fields.size();
    return layout;
  } catch (const InputError& error) {
    throw InputError(concat(at_line(name, lines.line_number()), ": ", error.what()));
  }
}

std::optional<StsLayout> find_sts_layout(ByteSource& source, const std::string& name) {
  try {
    return recognise_sts_layout(source, name);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::vector<StsPair> read_sts_pairs(ByteSource& source, const std::string& name, const StsLayout& layout,
                                    BadLines bad_lines, ReadReport& report) {
  Rows rows(source, name, layout.commas);
  Fields fields;
  if (layout.has_header()) rows.next(fields);
  const std::size_t bad_before = report.bad_lines;
  std::optional<std::string> split;
  std::vector<StsPair> pairs;
  while (rows.next(fields)) {
    const std::size_t line = rows.line_number();
    if (!report.read_line(bad_lines, name, line, [&] { check_fields(fields, layout); })) continue;
    if (layout.part) {
      const std::string_view part = fields[*layout.part];
      if (layout.kind == Kind::sick && part != "TEST") continue;
      if (!split) split = part;
      if (*split != part)
        throw InputError(concat(at_line(name, line), ": the row is of the split ", quoted(part),
                                ", those before it of ", quoted(*split),
                                ": make a file of each split, as each is measured by itself"));
    }
    report.read_line(bad_lines, name, line, [&] { pairs.push_back(pair_of(fields, layout)); });
  }
  if (pairs.empty())
    throw InputError(concat(name, ": has no pair to measure on: ", report.bad_lines - bad_before,
                            " bad lines were skipped: check that it is the right file"));
  report.pairs += pairs.size();
  return pairs;
}

std::vector<StsPair> read_sts_file(const std::filesystem::path& path, BadLines bad_lines, ReadReport& report) {
  FileSource beginning(path);
  const StsLayout layout = recognise_sts_layout(beginning, path.string());
  FileSource source(path);
  return read_sts_pairs(source, path.string(), layout, bad_lines, report);
}

}  // namespace gausscse
