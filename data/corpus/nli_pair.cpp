#include "data/corpus/nli_pair.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/corpus/sentence.hpp"

namespace gausscse {

namespace {

using NamedLabel = std::pair<std::string_view, NliLabel>;

constexpr std::string_view not_entailment = "not_entailment";

constexpr std::array<NamedLabel, 4> nli_labels{{{"entailment", NliLabel::entailment},
                                                {"neutral", NliLabel::neutral},
                                                {"contradiction", NliLabel::contradiction},
                                                {"-", NliLabel::none}}};
/// Numbers by which the sets of the Hugging Face hub say the same.
constexpr std::array<NamedLabel, 4> numbered_labels{
    {{"0", NliLabel::entailment}, {"1", NliLabel::neutral}, {"2", NliLabel::contradiction}, {"-1", NliLabel::none}}};

char small_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// Returns whether two texts are the same but for capitals of ASCII.
bool are_equal_but_for_capitals(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return small_letter(a) == small_letter(b); });
}

std::optional<NliLabel> find_label(std::string_view text, std::span<const NamedLabel> labels) {
  for (const auto& [name, label] : labels)
    if (are_equal_but_for_capitals(text, name)) return label;
  return std::nullopt;
}

/// Returns the part of a label in a file that is compared: without blanks at the ends and zeros behind the point.
std::string_view label_text(std::string_view text) {
  return without_zeros_behind_point(trimmed(text));
}

/// Throws InputError with the names that labels have, and a remedy at its end.
[[noreturn]] void refuse_label(std::string_view text, std::span<const std::string> names,
                               std::string_view remedy = {}) {
  std::string known, hint;
  // A name with a letter more or less may be meant. One with a syllable more may be its opposite, as non-entailment is.
  std::vector<std::string> alike;
  for (const std::string& name : names) {
    known += concat(known.empty() ? "" : ", ", name.empty() ? "\"\"" : name);
    const bool is_number = name.find_first_not_of("-.0123456789") == std::string::npos;
    if (!is_number && name.size() > 2 && text.size() <= name.size() + 1 && name.size() <= text.size() + 1)
      alike.push_back(name);
    if (!text.empty() && are_equal_but_for_capitals(text, name)) hint = concat(", did you mean ", quoted(name), "?");
  }
  if (hint.empty()) hint = nearest_name(text, alike);
  throw InputError(concat("the label ", quoted(text), " is unknown", hint, "; labels here are: ", known, remedy));
}

/// Returns the user's values, and the words of labels that have none.
std::vector<std::string> names_of_labels(const CorpusLayout& layout) {
  return {layout.entailment.empty() ? "entailment" : layout.entailment,
          layout.neutral.empty() ? "neutral" : layout.neutral,
          layout.contradiction.empty() ? "contradiction" : layout.contradiction, layout.none.value_or("-")};
}

/// Returns whether `text` is a spelling of not_entailment: not or non before entailment, with anything between them.
bool is_not_entailment(std::string_view text) {
  constexpr std::size_t longest = 20;
  if (text.size() > longest) return false;
  std::string letters;
  for (const char c : text) {
    const char lower = small_letter(c);
    if (lower >= 'a' && lower <= 'z')
      letters += lower;
    else if (c != '-' && c != '_' && c != ' ')
      return false;
  }
  return letters == "notentailment" || letters == "nonentailment" || letters == "noentailment";
}

}  // namespace

NliLabel parse_nli_label(std::string_view given, NliLabels labels, const CorpusLayout& layout) {
  const std::string_view text = label_text(given);
  for (const auto& [own, label] : {NamedLabel{layout.entailment, NliLabel::entailment},
                                   {layout.neutral, NliLabel::neutral},
                                   {layout.contradiction, NliLabel::contradiction}})
    if (!own.empty() && text == label_text(own)) return label;
  if (layout.none && text == label_text(*layout.none)) return NliLabel::none;
  for (const auto& [number, label] : numbered_labels)
    if (text == number && (layout.has_known_labels() || label == NliLabel::none)) return label;
  if (const std::optional<NliLabel> label = find_label(text, nli_labels)) return *label;
  if (!is_not_entailment(text))
    refuse_label(given, names_of_labels(layout),
                 text.empty() && !layout.none ? "; if it is that of pairs without label, give --labels none=, or "
                                                "data.labels.none: \"\" in a trial"
                                              : "");
  if (labels == NliLabels::three_or_two) return NliLabel::not_entailment;
  throw InputError(concat("the label ", quoted(text),
                          " does not separate neutral from contradiction, as this use needs: ",
                          "give a corpus of three labels; only the task nli measures on this one"));
}

std::string label_values_text(std::string_view given, const CorpusLayout& layout) {
  const std::string_view text = label_text(given);
  const bool is_number = std::any_of(numbered_labels.begin(), numbered_labels.end(),
                                     [&](const NamedLabel& numbered) { return text == numbered.first; });
  if (layout.has_known_labels() && is_number) return " (0 entailment, 1 neutral, 2 contradiction, -1 none)";
  std::string values;
  for (const auto& [own, name] : {std::pair(layout.entailment, "entailment"),
                                  {layout.neutral, "neutral"},
                                  {layout.contradiction, "contradiction"}})
    if (!own.empty()) values += concat(values.empty() ? " (" : ", ", own, " ", name);
  if (layout.none)
    values += concat(values.empty() ? " (" : ", ", layout.none->empty() ? "\"\"" : *layout.none, " none");
  return values.empty() ? "" : values + ")";
}

std::optional<RepeatedLabel> repeated_label(const CorpusLayout& layout) {
  const std::array<std::pair<std::string_view, const std::string*>, gold_labels> labels{
      {{"entailment", &layout.entailment}, {"neutral", &layout.neutral}, {"contradiction", &layout.contradiction}}};
  for (std::size_t i = 0; i < labels.size(); ++i)
    for (std::size_t before = 0; before < i; ++before)
      if (!labels[i].second->empty() && label_text(*labels[i].second) == label_text(*labels[before].second))
        return RepeatedLabel{labels[i].first, *labels[i].second};
  for (const auto& [word, value] : labels)
    if (layout.none && label_text(*layout.none) == (value->empty() ? word : label_text(*value)))
      return RepeatedLabel{"none", *layout.none};
  return std::nullopt;
}

NliLabel parse_sick_label(std::string_view text) {
  const auto labels = std::span(nli_labels).first(gold_labels);
  if (const std::optional<NliLabel> label = find_label(label_text(text), labels)) return *label;
  refuse_label(text, std::array<std::string, gold_labels>{"ENTAILMENT", "NEUTRAL", "CONTRADICTION"});
}

std::string_view nli_label_name(NliLabel label) {
  if (label == NliLabel::not_entailment) return not_entailment;
  for (const auto& [name, named] : nli_labels) {
    if (named == label) return name;
  }
  GAUSSCSE_CHECK(false, "not a label: ", static_cast<int>(label));
}

}  // namespace gausscse
