#include "data/sts/sts_file.hpp"

#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/read_report.hpp"
#include "data/corpus/row_source.hpp"
#include "data/corpus/sentence.hpp"
#include "data/source/text_source.hpp"

namespace gausscse {

namespace {

/// Columns that are asked for, in the order of their list. The part is the set that a row belongs to.
enum StsColumn : std::size_t { first_column, second_column, score_column, part_column };

std::optional<StsLayout> layout_of(const RowSource& rows, const CorpusLayout& names) {
  const auto has = [&](std::string_view name) { return !name.empty() && rows.has_column(name); };
  if (has(names.premise) || has(names.hypothesis) || has(names.score)) return StsLayout::named;
  if (rows.is_json()) {
    if (has("sentence_A") && has("sentence_B") && has("relatedness_score")) return StsLayout::sick;
    if (has("sentence1") && has("sentence2") && (has("score") || has("similarity_score"))) return StsLayout::named;
    return std::nullopt;
  }
  if (has("sentence_A") || has("sentence_B")) return StsLayout::sick;
  if (has("sentence1") || has("sentence2")) return StsLayout::named;
  const std::vector<std::string>& fields = rows.header();
  if (!rows.is_csv() && fields.size() >= 7 && parse_number(fields[4])) return StsLayout::benchmark;
  if (fields.size() == 3 && parse_number(fields[2])) return StsLayout::triple;
  return std::nullopt;
}

/// Selects the columns. Throws InputError where the file has no layout that is read.
StsLayout select_columns(RowSource& rows, const CorpusLayout& names) {
  const std::optional<StsLayout> layout = layout_of(rows, names);
  if (!layout)
    rows.refuse_header(
        "pairs with people's scores need a header with sentence1, sentence2 and score, or SICK's with sentence_A, "
        "sentence_B and relatedness_score; without a header the STS benchmark's genre, file, year, number, score, "
        "sentence, sentence, or sentence, sentence, score; or give the folder of one year of SemEval's STS");
  if (layout == StsLayout::benchmark)
    rows.without_header({"genre", "file", "year", "number", "score", "sentence1", "sentence2"}, true);
  if (layout == StsLayout::triple) rows.without_header({"sentence1", "sentence2", "score"}, false);
  if (layout == StsLayout::sick)
    rows.select(
        "pairs with people's scores",
        {{{"sentence_A"}}, {{"sentence_B"}}, {{"relatedness_score"}}, {.names = {"SemEval_set"}, .needed = false}});
  else
    rows.select("pairs with people's scores", {{CorpusLayout::with(names.premise, {"sentence1"})},
                                               {CorpusLayout::with(names.hypothesis, {"sentence2"})},
                                               {CorpusLayout::with(names.score, {"score", "similarity_score"})},
                                               {.names = {"split"}, .needed = false}});
  return *layout;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

double checked_score(std::string_view text) {
  const std::optional<double> score = parse_number(trimmed(text));
  if (!score) throw InputError(concat("the score, ", quoted(text), ", is not a number from 0 to 5"));
  if (*score >= 0 && *score <= 5) return *score;
  throw FileFault(concat("the score, ", quoted(text),
                         ", is not from 0 to 5: this is no bad line to leave out but another scale: bring all scores "
                         "of the file to 0 to 5"));
}

std::optional<StsLayout> find_sts_layout(ByteSource& source, const std::string& name, const CorpusLayout& names) {
  try {
    RowSource rows(source, name);
    return select_columns(rows, names);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

std::vector<StsPair> read_sts_pairs(ByteSource& source, const std::string& name, BadLines bad_lines, ReadReport& report,
                                    const CorpusLayout& names) {
  RowSource rows(source, name);
  const StsLayout layout = select_columns(rows, names);
  LineTally lines(name, bad_lines, report);
  std::optional<std::string> split;
  std::vector<StsPair> pairs;
  const auto read_row = [&] {
    if (rows.has(part_column)) {
      const std::string_view set = rows.scalar(part_column);
      if (layout == StsLayout::sick && set != "TEST") return;
      if (!split) split = set;
      if (*split != set)
        throw FileFault(concat("the row is of the split ", quoted(set), ", those before it of ", quoted(*split),
                               ": make a file of each split, as each is measured by itself"));
    }
    const double of_pair = checked_score(rows.scalar(score_column));
    pairs.push_back(
        {std::string(rows.sentence(first_column, false)), std::string(rows.sentence(second_column, false)), of_pair});
  };
  while (rows.next(lines, read_row)) {
  }
  lines.finish(pairs.size(), "pair to measure on");
  report.pairs += pairs.size();
  return pairs;
}

std::vector<StsPair> read_sts_file(const std::filesystem::path& path, BadLines bad_lines, ReadReport& report,
                                   const CorpusLayout& names) {
  TextSource source(path);
  return read_sts_pairs(source, path.string(), bad_lines, report, names);
}

}  // namespace gausscse
