#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/nli_pair.hpp"

namespace gausscse {

/// Distinct texts, numbered from 0 in the order they first came; all in one block of memory, for corpora of millions.
class StringTable {
 public:
  StringTable();

  /// Returns the number of `text`, which is added if it is new. Throws InputError beyond 2^32 - 2 texts.
  std::uint32_t intern(std::string_view text);

  /// Returns the text of a number; valid until the next `intern`.
  std::string_view operator[](std::uint32_t index) const {
    return std::string_view(bytes_).substr(ends_[index], ends_[index + 1] - ends_[index]);
  }

  std::size_t size() const { return ends_.size() - 1; }

 private:
  static constexpr std::uint32_t no_text = 0xFFFFFFFF;

  std::size_t slot_of(std::string_view text) const;
  void grow();

  std::string bytes_;
  std::vector<std::uint64_t> ends_;   ///< offset in bytes_ at which each text ends; the first entry is 0
  std::vector<std::uint32_t> slots_;  ///< numbers by hash, open addressing, a power of two of them, at most half full
};

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
