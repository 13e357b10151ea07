#pragma once

#include <string_view>

#include "data/corpus/nli_pair.hpp"

namespace gausscse {

/// The labels that a reader takes.
enum class NliLabels {
  three,         ///< entailment, neutral, contradiction
  three_or_two,  ///< these, and those of sets of two labels: entailment and not entailment
};

/// Returns the label `text` names in SNLI and MNLI: entailment, neutral, contradiction, or "-" for none; where `labels`
/// take it, also not_entailment, non-entailment and other spellings of that. Throws InputError, without the place, on
/// any other.
NliLabel parse_nli_label(std::string_view text, NliLabels labels);

/// Returns the label `text` names in SICK: ENTAILMENT, NEUTRAL or CONTRADICTION. Throws InputError, without the place,
/// on any other.
NliLabel parse_sick_label(std::string_view text);

/// Returns the name of `label` in SNLI and MNLI, or "not_entailment".
std::string_view nli_label_name(NliLabel label);

}  // namespace gausscse
