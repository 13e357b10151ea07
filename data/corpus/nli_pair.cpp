#include "data/corpus/nli_pair.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

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
constexpr std::array<NamedLabel, 3> sick_labels{
    {{"ENTAILMENT", NliLabel::entailment}, {"NEUTRAL", NliLabel::neutral}, {"CONTRADICTION", NliLabel::contradiction}}};

NliLabel parse_label(std::string_view text, std::span<const NamedLabel> labels) {
  std::string known;
  // A name with a letter more or less may be meant. One with a syllable more may be its opposite, as non-entailment is.
  std::vector<std::string> alike;
  for (const auto& [name, label] : labels) {
    if (text == name) return label;
    known += concat(known.empty() ? "" : ", ", name);
    if (name.size() > 2 && text.size() <= name.size() + 1 && name.size() <= text.size() + 1) alike.emplace_back(name);
  }
  throw InputError(
      concat("the label ", quoted(text), " is unknown", nearest_name(text, alike), "; labels here are: ", known));
}

/// Returns whether `text` is a spelling of not_entailment: not or non before entailment, with anything between them.
bool is_not_entailment(std::string_view text) {
  constexpr std::size_t longest = 20;
  if (text.size() > longest) return false;
  std::string letters;
  for (const char c : text) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (lower >= 'a' && lower <= 'z')
      letters += lower;
    else if (c != '-' && c != '_' && c != ' ')
      return false;
  }
  return letters == "notentailment" || letters == "nonentailment" || letters == "noentailment";
}

}  // namespace

NliLabel parse_nli_label(std::string_view text, NliLabels labels, const CorpusLayout& layout) {
  for (const auto& [own, label] : {NamedLabel{layout.entailment, NliLabel::entailment},
                                   {layout.neutral, NliLabel::neutral},
                                   {layout.contradiction, NliLabel::contradiction}})
    if (!own.empty() && text == own) return label;
  for (const auto& [number, label] : numbered_labels)
    if (text == number && (layout.has_known_labels() || label == NliLabel::none)) return label;
  if (!is_not_entailment(text)) return parse_label(text, nli_labels);
  if (labels == NliLabels::three_or_two) return NliLabel::not_entailment;
  throw InputError(concat("the label ", quoted(text),
                          " does not separate neutral from contradiction, as this use needs: ",
                          "give a corpus of three labels; only the task nli measures on this one"));
}

std::string label_values_text(std::string_view text, const CorpusLayout& layout) {
  const bool is_number = std::any_of(numbered_labels.begin(), numbered_labels.end(),
                                     [&](const NamedLabel& numbered) { return text == numbered.first; });
  if (layout.has_known_labels() && is_number) return " (0 entailment, 1 neutral, 2 contradiction, -1 none)";
  std::string values;
  for (const auto& [own, name] : {std::pair(layout.entailment, "entailment"),
                                  {layout.neutral, "neutral"},
                                  {layout.contradiction, "contradiction"}})
    if (!own.empty()) values += concat(values.empty() ? " (" : ", ", own, " ", name);
  return values.empty() ? "" : values + ")";
}

NliLabel parse_sick_label(std::string_view text) {
  return parse_label(text, sick_labels);
}

std::string_view nli_label_name(NliLabel label) {
  if (label == NliLabel::not_entailment) return not_entailment;
  for (const auto& [name, named] : nli_labels) {
    if (named == label) return name;
  }
  GAUSSCSE_CHECK(false, "not a label: ", static_cast<int>(label));
}

}  // namespace gausscse
