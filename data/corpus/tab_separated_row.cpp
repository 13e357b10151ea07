#include "data/corpus/tab_separated_row.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/nli_label.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

void check_one_of(std::string_view value, std::string_view column, const std::array<std::string_view, 3>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return;
  throw InputError(concat(quoted(value), " in the column ", column, " is unknown; it is one of ", allowed[0], ", ",
                          allowed[1], ", ", allowed[2]));
}

}  // namespace

TabSeparatedRows::TabSeparatedRows(std::string_view header, CorpusFormat format, const ReadOptions& options)
    : format_(format), options_(options) {
  for (const std::string_view name : split_at_tabs(header, header.size() + 1)) header_.emplace_back(name);
  const bool sick = format == CorpusFormat::sick_full || format == CorpusFormat::sick_semeval;
  premise_ = column(sick ? "sentence_A" : "sentence1");
  hypothesis_ = column(sick ? "sentence_B" : "sentence2");
  const bool gold = std::find(header_.begin(), header_.end(), "gold_label") != header_.end();
  label_ = column(format == CorpusFormat::nli_txt     ? (gold ? "gold_label" : "label")
                  : format == CorpusFormat::sick_full ? "entailment_label"
                                                      : "entailment_judgment");
  needed_fields_ = std::max({premise_, hypothesis_, label_}) + 1;
  if (format == CorpusFormat::sick_full) {
    entailment_ab_ = column("entailment_AB");
    entailment_ba_ = column("entailment_BA");
    semeval_set_ = column("SemEval_set");
    needed_fields_ = std::max({needed_fields_, entailment_ab_ + 1, entailment_ba_ + 1, semeval_set_ + 1});
  }
  const std::string& group_key = options_.group_key;
  if (group_key.empty()) return;
  if (std::find(header_.begin(), header_.end(), group_key) == header_.end()) {
    throw InputError(concat("the header has no column ", quoted(group_key), ", by which pairs are to be grouped",
                            nearest_name(group_key.substr(0, 40), header_)));
  }
  group_ = column(group_key);
  needed_fields_ = std::max(needed_fields_, *group_ + 1);
}

std::size_t TabSeparatedRows::column(std::string_view name) const {
  const auto first = std::find(header_.begin(), header_.end(), name);
  GAUSSCSE_CHECK(first != header_.end(), "no column ", name);
  if (std::find(first + 1, header_.end(), name) != header_.end()) {
    throw InputError(concat("the header names the column ", quoted(name),
                            " twice, so its value is ambiguous: rename or remove one"));
  }
  return static_cast<std::size_t>(first - header_.begin());
}

std::optional<NliPair> TabSeparatedRows::parse(std::string_view line) const {
  check_utf8(line);
  const std::vector<std::string_view> fields = split_at_tabs(line, header_.size());
  if (fields.size() < needed_fields_) {
    throw InputError(concat("the row has ", fields.size(), " tab-separated fields where the header needs at least ",
                            needed_fields_, ": the line is cut, or a tab is missing"));
  }
  if (fields.size() == header_.size() && fields.back().find('\t') != std::string_view::npos) {
    throw InputError(concat("the row has more tab-separated fields than the ", header_.size(),
                            " of the header: a sentence must not hold a tab"));
  }
  NliPair pair;
  pair.label = format_ == CorpusFormat::nli_txt ? parse_nli_label(fields[label_], options_.labels)
                                                : parse_sick_label(fields[label_]);
  pair.premise = checked_sentence(fields[premise_], header_[premise_], options_.trim);
  pair.hypothesis = checked_sentence(fields[hypothesis_], header_[hypothesis_], options_.trim);
  if (group_) pair.group = fields[*group_];
  if (format_ == CorpusFormat::sick_full) {
    const std::string_view ab = fields[entailment_ab_];
    const std::string_view ba = fields[entailment_ba_];
    const std::string_view set = fields[semeval_set_];
    check_one_of(ab, "entailment_AB", {"A_entails_B", "A_neutral_B", "A_contradicts_B"});
    check_one_of(ba, "entailment_BA", {"B_entails_A", "B_neutral_A", "B_contradicts_A"});
    check_one_of(set, "SemEval_set", {"TRAIN", "TRIAL", "TEST"});
    if (!options_.sick_set.empty() && set != options_.sick_set) return std::nullopt;
    pair.entails_both_ways = ab == "A_entails_B" && ba == "B_entails_A";
  }
  return pair;
}

}  // namespace gausscse
