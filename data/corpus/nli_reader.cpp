#include "data/corpus/nli_reader.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "data/corpus/corpus_format.hpp"
#include "data/corpus/line_reader.hpp"
#include "data/corpus/nli_json_line.hpp"
#include "data/corpus/tab_separated_row.hpp"

namespace gausscse {

namespace {

using LineParser = std::function<std::optional<NliPair>(std::string_view)>;

void check_sick_set(const ReadOptions& options) {
  const std::string& set = options.sick_set;
  if (set.empty() || set == "TRAIN" || set == "TRIAL" || set == "TEST") return;
  throw InputError(concat("SICK has no set ", quoted(set), nearest_name(set.substr(0, 40), {"TRAIN", "TRIAL", "TEST"}),
                          "; give TRAIN, TRIAL or TEST, or nothing for all rows"));
}

}  // namespace

void for_each_nli_pair(ByteSource& source, const std::string& name, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink) {
  check_sick_set(options);
  LineReader lines(source, name);
  std::string_view line;
  if (!lines.next_not_blank(line)) {
    throw InputError(concat(name, ": the corpus is empty: check that the file is whole"));
  }
  const auto place = [&] { return at_line(name, lines.line_number()); };
  const CorpusFormat format = recognise_format(line, name, lines.line_number());
  LineParser parse;
  bool have_line = true;
  if (format == CorpusFormat::triples_csv) {
    throw InputError(concat(place(), ": a triples CSV where pairs with labels are needed: give SNLI, MNLI or SICK"));
  } else if (format == CorpusFormat::nli_jsonl) {
    parse = [&options](std::string_view text) {
      return parse_nli_json_line(text, options.labels, options.trim, options.group_key);
    };
  } else {
    try {
      parse = [rows = TabSeparatedRows(line, format, options)](std::string_view text) { return rows.parse(text); };
    } catch (const InputError& error) {
      throw InputError(concat(place(), ": ", error.what()));
    }
    have_line = lines.next_not_blank(line);
  }

  std::size_t kept = 0;
  std::size_t bad = 0;
  std::size_t of_other_sets = 0;
  for (; have_line; have_line = lines.next_not_blank(line)) {
    std::optional<NliPair> pair;
    if (!report.read_line(options.bad_lines, name, lines.line_number(), [&] { pair = parse(line); })) {
      ++bad;
      continue;
    }
    if (!pair) {
      ++of_other_sets;
      continue;
    }
    ++kept;
    ++report.pairs;
    report.without_gold_label += pair->label == NliLabel::none;
    report.not_entailed += pair->label == NliLabel::not_entailment;
    sink(std::move(*pair));
  }
  if (kept == 0) {
    throw InputError(concat(name, ": no usable pair: ", bad, " bad lines were skipped and ", of_other_sets,
                            " rows are not of the wanted SemEval_set", options.sick_set.empty() ? "" : " ",
                            options.sick_set, ": check that it is the right file"));
  }
}

void for_each_nli_pair(const std::filesystem::path& path, const ReadOptions& options, ReadReport& report,
                       const NliPairSink& sink) {
  FileSource source(path);
  for_each_nli_pair(source, path.string(), options, report, sink);
}

}  // namespace gausscse
