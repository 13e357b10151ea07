#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "data/corpus/nli_pair.hpp"
#include "data/corpus/string_table.hpp"

namespace gausscse {

/// Labelled pairs, gathered by premise.
class HypothesesOfPremises {
 public:
  /// Hypotheses that one premise entails and contradicts, each distinct, in the order of their bytes.
  struct Group {
    std::uint32_t premise = 0;
    std::vector<std::uint32_t> entailed;
    std::vector<std::uint32_t> contradicted;
  };

  void add(const NliPair& pair);

  /// Gives `visit` each premise in the order they first came, those without any such hypothesis too. A hypothesis that
  /// is both entailed and contradicted is left out and counted.
  void for_each_group(const std::function<void(const Group&)>& visit);

  const StringTable& texts() const { return texts_; }

  /// Returns, after `for_each_group`, the number of pairs added whose premise, hypothesis and label had been added
  /// before.
  std::size_t duplicates() const { return duplicates_; }
  /// Returns, after `for_each_group`, the number of hypotheses that are both entailed and contradicted.
  std::size_t conflicting() const { return conflicting_; }

 private:
  struct Record {
    std::uint32_t premise_rank;  ///< in the order in which premises first came
    std::uint32_t hypothesis;
    NliLabel label;

    auto operator<=>(const Record&) const = default;
  };

  std::uint32_t rank_of_premise(std::uint32_t premise);

  StringTable texts_;
  std::vector<std::uint32_t> premise_ranks_;  ///< by text; no_rank where the text is no premise
  std::vector<std::uint32_t> premises_;       ///< by rank
  std::vector<Record> records_;
  std::size_t duplicates_ = 0;
  std::size_t conflicting_ = 0;
};

}  // namespace gausscse
