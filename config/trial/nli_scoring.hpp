#pragma once

#include <map>
#include <string>

#include "config/trial/trial_choices.hpp"

namespace gausscse {

/// Choices that the metrics of an NLI set depend on besides the scores of its pairs and the threshold.
struct NliScoring {
  setting::TwoWayPairs two_way_pairs = setting::TwoWayPairs::keep;
  setting::NoGoldLabel no_gold_label = setting::NoGoldLabel::non_entailment;
  setting::Auprc auprc = setting::Auprc::trapezoid;
  bool operator==(const NliScoring&) const = default;
};

/// Returns the choices as words under the last part of the trial's keys, such as `auprc: sweep`.
std::map<std::string, std::string> to_words(const NliScoring& scoring);

/// Returns the scoring of these words; a choice without a word is as in the released program. Throws InputError where a
/// word is unknown.
NliScoring parse_scoring(const std::map<std::string, std::string>& words);

}  // namespace gausscse
