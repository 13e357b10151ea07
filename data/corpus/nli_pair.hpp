#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "data/corpus/corpus_layout.hpp"

namespace gausscse {

/// Gold label of a premise-hypothesis pair. `none` is a pair without one ("-" in SNLI and MNLI); `not_entailment` is
/// that of sets of two labels, such as HANS, which do not distinguish neutral from contradiction.
enum class NliLabel { entailment, neutral, contradiction, none, not_entailment };

/// Number of gold labels: as numbers, in NliLabel's order, they are 0 .. gold_labels - 1.
inline constexpr std::uint32_t gold_labels = static_cast<std::uint32_t>(NliLabel::none);

/// One pair of an NLI corpus. Sentences are as in the file or trimmed, well-formed UTF-8, never only white
/// space.
struct NliPair {
  std::string premise;
  std::string hypothesis;
  NliLabel label = NliLabel::none;
  /// True where the corpus says that the hypothesis entails the premise, too (only SICK's full release does).
  bool entails_both_ways = false;
  /// True where the corpus says that the hypothesis entails the premise, under any label (SICK's full release).
  bool hypothesis_entails_premise = false;
  /// Value of the column or JSON key `ReadOptions::group_key`; empty without one.
  std::string group = {};
};

/// The labels that a reader takes.
enum class NliLabels {
  three,         ///< entailment, neutral, contradiction
  three_or_two,  ///< these, and those of sets of two labels: entailment and not entailment
};

/// Returns the label that `text` names. In SNLI and MNLI it is entailment, neutral, contradiction, or "-" for none. In
/// sets of the Hugging Face hub it is a number: 0, 1, 2 in this order, -1 for none. Where `labels` take it, also
/// not_entailment, non-entailment and other spellings of that. Values of `layout` come first, and with any of the three
/// labels' the other numbers but -1 have no meaning. White space at the ends, capitals of ASCII in the known words, and
/// zeros behind the point of a whole number make no difference. Throws InputError, without the place, on any other.
NliLabel parse_nli_label(std::string_view text, NliLabels labels, const CorpusLayout& layout = {});

/// Returns the meaning of label values, where `text` is a number or the layout has values: " (0 entailment, 1 neutral,
/// ...)"; else nothing.
std::string label_values_text(std::string_view text, const CorpusLayout& layout);

/// Value of a label in a user's files that another label has, too.
struct RepeatedLabel {
  std::string_view label;  ///< "neutral"
  std::string value;       ///< as the user wrote it
};

/// Returns a label whose value means another label, too, as parse_nli_label reads values: 0 and 0.0 are one. Labels
/// without a value have their words there, which only the value of `none` may repeat.
std::optional<RepeatedLabel> repeated_label(const CorpusLayout& layout);

/// Returns the label `text` names in SICK: ENTAILMENT, NEUTRAL or CONTRADICTION, in capitals or not. Throws InputError,
/// without the place, on any other.
NliLabel parse_sick_label(std::string_view text);

/// Returns the name of `label` in SNLI and MNLI, or "not_entailment".
std::string_view nli_label_name(NliLabel label);

}  // namespace gausscse
