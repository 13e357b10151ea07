#pragma once

#include <cstdint>
#include <string>

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
  /// Value of the column or JSON key `ReadOptions::group_key`; empty without one.
  std::string group = {};
};

}  // namespace gausscse
