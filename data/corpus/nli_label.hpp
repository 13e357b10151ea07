#pragma once

#include <string_view>

#include "data/corpus/nli_pair.hpp"

namespace gausscse {

/// The label `text` names in SNLI and MNLI: entailment, neutral, contradiction, or "-" for none. Throws InputError,
/// without the place, on any other.
NliLabel parse_nli_label(std::string_view text);

/// The label `text` names in SICK: ENTAILMENT, NEUTRAL or CONTRADICTION. Throws InputError, without the place, on any
/// other.
NliLabel parse_sick_label(std::string_view text);

/// The name of `label` in SNLI and MNLI.
std::string_view nli_label_name(NliLabel label);

}  // namespace gausscse
