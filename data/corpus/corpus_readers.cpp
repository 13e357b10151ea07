#include "data/corpus/corpus_readers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/row_source.hpp"
#include "data/source/text_source.hpp"

namespace gausscse {

namespace {

constexpr std::array<std::string_view, 3> sick_sets{"TRAIN", "TRIAL", "TEST"};

/// Columns that are asked for, in the order of their list.
enum NliColumn : std::size_t { label_column, premise_column, hypothesis_column, ab_column, ba_column, set_column };

/// Columns of triples, in the order of their list; those of further contradicted hypotheses follow.
enum TripleColumn : std::size_t { anchor_column, entailed_column, first_contradicted_column };

/// Contradicted hypotheses that a row of a table may have in columns of their own: negative_1, negative_2, ...
constexpr std::size_t max_contradicted = 32;

/// Names by which people have the columns of triples: of SimCSE, of sentence-transformers, of retrieval sets.
const std::vector<std::string> anchor_names{"sent0", "anchor", "query"}, entailed_names{"sent1", "positive", "pos"},
    contradicted_names{"hard_neg", "negative", "neg", "negative_1"};

std::vector<RowColumn> columns_of_triples(Contradictions contradictions, const CorpusLayout& layout) {
  std::vector<RowColumn> columns{{CorpusLayout::with(layout.premise, anchor_names)},
                                 {CorpusLayout::with(layout.entailed, entailed_names)}};
  if (contradictions == Contradictions::left_out) return columns;
  columns.push_back({.names = CorpusLayout::with(layout.contradicted, contradicted_names),
                     .needed = contradictions == Contradictions::needed,
                     .purpose = ", the contradicted hypothesis (without any, set recipe: contrastive_pairs)"});
  for (std::size_t number = 2; number <= max_contradicted; ++number)
    columns.push_back({.names = {concat("negative_", number)}, .needed = false});
  return columns;
}

/// Sets `texts` to the contradicted hypotheses of a row of triples.
void read_contradicted(const RowSource& rows, bool trim, std::vector<std::string_view>& texts) {
  texts.clear();
  rows.append_sentences(first_contradicted_column, trim, texts);
  for (std::size_t i = 1; i < max_contradicted; ++i)
    if (rows.has(first_contradicted_column + i)) texts.push_back(rows.sentence(first_contradicted_column + i, trim));
}

/// Reads the contradicted texts of a row; sets one empty text where none can be read.
void read_contradicted_if_any(const RowSource& rows, bool trim, std::vector<std::string_view>& texts) {
  try {
    texts.clear();
    if (rows.has(first_contradicted_column)) read_contradicted(rows, trim, texts);
  } catch (const InputError&) {
    // As with `left_out`, nothing in these columns makes a row bad.
    texts.clear();
  }
  if (texts.empty()) texts.emplace_back();
}

/// Names by which people have the column of labels.
const std::vector<std::string> label_names{"gold_label", "label"};

std::vector<RowColumn> columns_of(CorpusFormat format, const CorpusLayout& layout) {
  if (format == CorpusFormat::nli)
    return {{CorpusLayout::with(layout.label, label_names)},
            {CorpusLayout::with(layout.premise, {"sentence1", "premise", "text_a"})},
            {CorpusLayout::with(layout.hypothesis, {"sentence2", "hypothesis", "text_b"})}};
  if (format == CorpusFormat::sick_semeval) return {{{"entailment_judgment"}}, {{"sentence_A"}}, {{"sentence_B"}}};
  return {{{"entailment_label"}}, {{"sentence_A"}},    {{"sentence_B"}},
          {{"entailment_AB"}},    {{"entailment_BA"}}, {{"SemEval_set"}}};
}

void check_one_of(std::string_view value, std::string_view column, const std::array<std::string_view, 3>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  throw InputError(concat(quoted(value), " in the column ", column, " is unknown; it is one of ", allowed[0], ", ",
                          allowed[1], ", ", allowed[2]));
}

void check_sick_set(const std::string& set) {
  if (set.empty() || std::find(sick_sets.begin(), sick_sets.end(), set) != sick_sets.end()) return;
  throw InputError(concat("SICK has no set ", quoted(set),
                          nearest_name(set.substr(0, 40), {sick_sets.begin(), sick_sets.end()}),
                          "; give TRAIN, TRIAL or TEST, or nothing for all rows"));
}

bool has_one_of(const RowSource& rows, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return rows.has_column(name); });
}

/// Reads the next good row, unless there are `max_rows` of them; see RowSource::next.
template <typename Parse>
bool next_of(RowSource& rows, LineTally& lines, std::size_t max_rows, const Parse& parse) {
  return (max_rows == 0 || lines.good() < max_rows) && rows.next(lines, parse);
}

/// Returns the pair of a row; nothing if it belongs to another SemEval_set.
std::optional<NliPair> pair_of(const RowSource& row, CorpusFormat format, const ReadOptions& options) {
  NliPair pair;
  pair.label = format == CorpusFormat::nli ? parse_nli_label(row.scalar(label_column, options.layout.none == ""),
                                                             options.labels, options.layout)
                                           : parse_sick_label(row.text(label_column));
  pair.premise = row.sentence(premise_column, options.trim);
  pair.hypothesis = row.sentence(hypothesis_column, options.trim);
  if (format != CorpusFormat::sick_full) return pair;
  const std::string_view ab = row.text(ab_column), ba = row.text(ba_column), set = row.text(set_column);
  check_one_of(ab, "entailment_AB", {"A_entails_B", "A_neutral_B", "A_contradicts_B"});
  check_one_of(ba, "entailment_BA", {"B_entails_A", "B_neutral_A", "B_contradicts_A"});
  check_one_of(set, "SemEval_set", sick_sets);
  if (!options.sick_set.empty() && set != options.sick_set) return std::nullopt;
  pair.hypothesis_entails_premise = ba == "B_entails_A";
  pair.entails_both_ways = ab == "A_entails_B" && pair.hypothesis_entails_premise;
  return pair;
}

}  // namespace

CorpusFormat recognise_format(const RowSource& rows, const CorpusLayout& layout) {
  const auto has_any = [&](const std::vector<std::string>& found) { return has_one_of(rows, found); };
  if (rows.has_column(layout.entailed) || rows.has_column(layout.contradicted)) return CorpusFormat::triples;
  if (rows.has_column(layout.hypothesis) || rows.has_column(layout.label)) return CorpusFormat::nli;
  if (has_any(anchor_names) || has_any(entailed_names) || has_any(contradicted_names)) return CorpusFormat::triples;
  if (has_any({"sentence_A", "sentence_B"}))
    return has_any({"entailment_judgment"}) ? CorpusFormat::sick_semeval : CorpusFormat::sick_full;
  // The first line of JSON may be a bad one without any.
  if (has_any({"sentence1", "sentence2", "gold_label", "premise", "hypothesis", "text_a", "text_b"}) ||
      rows.header().empty())
    return CorpusFormat::nli;
  rows.refuse_header(
      "pairs with labels need gold_label (or label), sentence1, sentence2 (or premise, hypothesis); those of SICK "
      "sentence_A, sentence_B and entailment_judgment or entailment_label; triples need sent0,sent1,hard_neg (or "
      "anchor,positive,negative: premise, entailed, contradicted): rename the columns, or give their names in "
      "data.columns (--columns of a command)");
}

bool has_labels(const RowSource& rows, const CorpusLayout& layout) {
  return has_one_of(rows, CorpusLayout::with(layout.label, label_names));
}

bool has_contradictions(const RowSource& rows, const CorpusLayout& layout) {
  return has_one_of(rows, CorpusLayout::with(layout.contradicted, contradicted_names));
}

CorpusFormat detect_format(const std::filesystem::path& path, const CorpusLayout& layout) {
  TextSource source(path);
  return recognise_format(RowSource(source, path.string()), layout);
}

void for_each_nli_pair(ByteSource& source, const std::string& name, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink) {
  check_sick_set(options.sick_set);
  if (const std::optional<RepeatedLabel> repeated = repeated_label(options.layout))
    throw InputError(
        concat(name, ": the label ", quoted(repeated->value), " stands for two labels: give each its own value"));
  RowSource rows(source, name);
  const CorpusFormat format = recognise_format(rows, options.layout);
  if (format == CorpusFormat::triples)
    rows.refuse_header(
        "pairs with labels need gold_label (or label), sentence1, sentence2: give SNLI, MNLI or SICK, not triples");
  std::vector<RowColumn> columns = columns_of(format, options.layout);
  const std::size_t group = columns.size();
  if (!options.group_key.empty())
    columns.push_back({.names = {options.group_key}, .purpose = ", by which pairs are to be grouped"});
  rows.select("pairs with labels", std::move(columns));

  LineTally lines(name, options.bad_lines, report);
  std::size_t kept = 0;
  std::optional<NliPair> pair;
  const auto read_row = [&] {
    pair = pair_of(rows, format, options);
    if (pair && !options.group_key.empty()) pair->group = rows.scalar(group);
  };
  while (next_of(rows, lines, options.max_rows, read_row)) {
    if (!pair) continue;
    ++kept;
    if (options.premises && !options.premises(pair->premise)) continue;
    ++report.pairs;
    LabelCount& of_label = report.labels[pair->label];
    if (++of_label.pairs == 1) of_label.first = rows.place();
    sink(std::move(*pair));
  }
  const std::size_t of_other_sets = lines.good() - kept;
  lines.finish(kept, "pair",
               of_other_sets == 0 ? "" : concat(of_other_sets, " rows are not of the SemEval_set ", options.sick_set));
}

void for_each_nli_pair(const std::filesystem::path& path, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink) {
  TextSource source(path);
  for_each_nli_pair(source, path.string(), options, report, sink);
}

void for_each_triple(ByteSource& source, const std::string& name, const TripleOptions& options, ReadReport& report,
                     const TripleSink& sink) {
  RowSource rows(source, name);
  rows.select("triples", columns_of_triples(options.contradictions, options.layout));
  LineTally lines(name, options.bad_lines, report);
  std::string_view anchor;
  std::vector<std::string_view> entailed, contradicted{""};
  const auto read_row = [&] {
    anchor = rows.sentence(anchor_column, options.trim);
    entailed.clear();
    rows.append_sentences(entailed_column, options.trim, entailed);
    if (options.contradictions == Contradictions::needed) read_contradicted(rows, options.trim, contradicted);
    if (options.contradictions == Contradictions::if_any) read_contradicted_if_any(rows, options.trim, contradicted);
    if (entailed.empty() || contradicted.empty())
      throw InputError(concat("the row has no ", entailed.empty() ? "entailed" : "contradicted", " hypothesis"));
  };
  while (next_of(rows, lines, options.max_rows, read_row)) {
    if (options.premises && !options.premises(anchor)) continue;
    for (const std::string_view positive : entailed) {
      for (const std::string_view negative : contradicted) {
        ++report.pairs;
        sink({anchor, positive, negative});
      }
    }
  }
  lines.finish("triple");
}

void for_each_triple(const std::filesystem::path& path, const TripleOptions& options, ReadReport& report,
                     const TripleSink& sink) {
  TextSource source(path);
  for_each_triple(source, path.string(), options, report, sink);
}

std::string columns_text(const std::filesystem::path& path, Contradictions contradictions, const CorpusLayout& layout) {
  TextSource source(path);
  RowSource rows(source, path.string());
  const CorpusFormat format = recognise_format(rows, layout);
  const bool triples = format == CorpusFormat::triples;
  rows.select("rows", triples ? columns_of_triples(contradictions, layout) : columns_of(format, layout));
  ReadReport report;
  LineTally lines(path.string(), BadLines::skip, report);
  const auto check_label = [&] {
    if (!triples) rows.scalar(label_column);
  };
  if (!rows.next(lines, check_label)) return {};
  const auto named = [&](std::string_view field, std::size_t column) {
    return concat(field, "=", rows.name_of(column));
  };
  if (triples)
    return concat(named("premise", anchor_column), ", ", named("entailed", entailed_column),
                  contradictions == Contradictions::left_out
                      ? ""
                      : concat(", ", named("contradicted", first_contradicted_column)));
  return concat(named("premise", premise_column), ", ", named("hypothesis", hypothesis_column), ", ",
                named("label", label_column),
                format == CorpusFormat::nli ? label_values_text(rows.scalar(label_column), layout) : "");
}

}  // namespace gausscse
