#pragma once

#include <map>
#include <string>

#include "base/choice.hpp"

namespace gausscse {

/// Gold labels of three-way NLI, as they stand in names of metrics.
inline constexpr const char* gold_label_names[] = {"entailment", "neutral", "contradiction"};

}  // namespace gausscse

/// The values of NLI tasks' keys that are one of a few words.
namespace gausscse::setting {

enum class NoGoldLabel { non_entailment, drop };
enum class TwoWayPairs { keep, drop };
enum class Auprc { trapezoid, sweep };
/// Rows of SICK's full release that are read.
enum class SickRows {
  dev,  ///< SemEval_set TRIAL
  test  ///< SemEval_set TEST
};

}  // namespace gausscse::setting

namespace gausscse {

template <>
inline constexpr NameTable<setting::NoGoldLabel, 2> names<setting::NoGoldLabel>{
    {{setting::NoGoldLabel::non_entailment, "non_entailment"}, {setting::NoGoldLabel::drop, "drop"}}};
template <>
inline constexpr NameTable<setting::TwoWayPairs, 2> names<setting::TwoWayPairs>{
    {{setting::TwoWayPairs::keep, "keep"}, {setting::TwoWayPairs::drop, "drop"}}};
template <>
inline constexpr NameTable<setting::Auprc, 2> names<setting::Auprc>{
    {{setting::Auprc::trapezoid, "trapezoid"}, {setting::Auprc::sweep, "sweep"}}};
template <>
inline constexpr NameTable<setting::SickRows, 2> names<setting::SickRows>{
    {{setting::SickRows::dev, "dev"}, {setting::SickRows::test, "test"}}};

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
