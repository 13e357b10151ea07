#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/large_pages.hpp"
#include "data/corpus/nli_pair.hpp"

namespace gausscse {

/// Distinct texts, numbered from 0 in the order they first came. Their bytes lie back to back in large blocks; a text
/// is found by 32 bits of its hash, then compared.
class StringTable {
 public:
  StringTable() = default;
  StringTable(StringTable&&) = default;
  StringTable& operator=(StringTable&&) = default;

  /// Returns the number of `text`, which is added if it is new. Throws InputError beyond 2^32 - 2 texts.
  std::uint32_t intern(std::string_view text);

  /// Adds several texts, whose places are fetched from memory together. `numbers` gets their numbers, one a text.
  void intern(std::span<const std::string_view> texts, std::span<std::uint32_t> numbers);

  /// Returns the number of `text`; nothing where it was not added.
  std::optional<std::uint32_t> find(std::string_view text) const;

  /// Returns the text of a number; valid as long as the table, also when it is moved.
  std::string_view operator[](std::uint32_t index) const { return texts_[index]; }

  std::size_t size() const { return texts_.size(); }

 private:
  /// Place of a number in the hash table.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0xFFFFFFFF;  ///< number of the text; the largest: the slot is empty
  };

  static std::size_t first_slot(std::uint32_t hash, std::size_t slots);
  std::size_t find_slot(std::string_view text, std::uint32_t hash) const;
  std::uint32_t intern_hashed(std::string_view text, std::uint32_t hash);
  void double_slots();
  std::string_view copy_of(std::string_view text);

  struct FreeBlock {
    std::size_t bytes = 0;
    void operator()(char* block) const { free_large_pages(block, bytes); }
  };

  std::vector<std::unique_ptr<char, FreeBlock>> blocks_;  ///< bytes of the texts, which stay where they are
  std::size_t block_bytes_ = 0;                           ///< size of the last block
  std::size_t block_used_ = 0;                            ///< bytes of the last block that have texts
  std::vector<std::string_view, LargePages<std::string_view>> texts_;  ///< by number
  std::vector<Slot, LargePages<Slot>> slots_;  ///< a power of two, at most three quarters of them in use
};

/// Labelled pairs, gathered by premise.
class HypothesesOfPremises {
 public:
  /// Hypotheses of one premise by their labels, each distinct, in the order of their bytes.
  struct Group {
    std::uint32_t premise = 0;
    std::vector<std::uint32_t> entailed;
    std::vector<std::uint32_t> contradicted;
    std::vector<std::uint32_t> neutral;  ///< none that it also entails or contradicts
  };

  void add(const NliPair& pair);

  /// Gives `visit` each premise in the order they first came, those without any such hypothesis too. A hypothesis that
  /// is both entailed and contradicted is left out and counted.
  void for_each_group(const std::function<void(const Group&)>& visit);

  const StringTable& texts() const { return texts_; }

  /// Returns the distinct hypotheses of any label, in the order of their numbers.
  std::vector<std::uint32_t> hypotheses() const;

  /// Returns the number of premises so far, each of which gives a group.
  std::size_t premises() const { return premises_.size(); }

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
