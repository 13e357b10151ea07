#pragma once

#include <compare>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gausscse {

/// Names that a user's files have for columns and labels. They are tried before the known ones (see RowSource and
/// parse_nli_label); an empty one leaves these alone.
///
///     CorpusLayout layout{.premise = "evidence", .hypothesis = "claim", .label = "verdict", .entailment = "supports"};
struct CorpusLayout {
  std::string premise = {};     ///< column of the premise, of an anchor, of a query, of a scored pair's first sentence
  std::string hypothesis = {};  ///< column of the hypothesis of a pair with a label, of a scored pair's second sentence
  std::string label = {};       ///< column of the label
  std::string entailed = {};    ///< column of a triple's entailed hypothesis
  std::string contradicted = {};  ///< column of a triple's contradicted hypothesis
  std::string score = {};         ///< column of the score of a pair of a task of kind sts

  std::string entailment = {};     ///< value of the label
  std::string neutral = {};        ///< value of the label
  std::string contradiction = {};  ///< value of the label
  /// Value of a pair without gold label, which may be the empty text; nothing: "-" and -1 alone.
  std::optional<std::string> none = {};

  auto operator<=>(const CorpusLayout&) const = default;  // NOLINT(modernize-use-nullptr): the compiler writes a 0

  /// Returns true if no gold label has a value of its own: then numbers have the meaning of the Hugging Face hub.
  bool has_known_labels() const { return entailment.empty() && neutral.empty() && contradiction.empty(); }

  /// Returns all names, in the order above; `none` in quotes, if there is one.
  std::vector<std::string> names() const {
    return {premise, hypothesis, label,   entailed,      contradicted,
            score,   entailment, neutral, contradiction, none ? "\"" + *none + "\"" : ""};
  }

  /// Returns these names, and those of `base` for columns that are not named here. Labels are those of one side: these
  /// if there is one.
  CorpusLayout over(const CorpusLayout& base) const {
    const auto either = [](const std::string& own, const std::string& other) { return own.empty() ? other : own; };
    const CorpusLayout& labels = has_known_labels() && !none ? base : *this;
    return {.premise = either(premise, base.premise),
            .hypothesis = either(hypothesis, base.hypothesis),
            .label = either(label, base.label),
            .entailed = either(entailed, base.entailed),
            .contradicted = either(contradicted, base.contradicted),
            .score = either(score, base.score),
            .entailment = labels.entailment,
            .neutral = labels.neutral,
            .contradiction = labels.contradiction,
            .none = labels.none};
  }

  /// Returns the names with `own` before them, if it is not empty.
  static std::vector<std::string> with(const std::string& own, std::vector<std::string> names) {
    if (!own.empty()) names.insert(names.begin(), own);
    return names;
  }
};

}  // namespace gausscse
