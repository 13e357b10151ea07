#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gausscse {

/// The merges of a byte-pair encoding over symbols 0 .. n-1, and the merging itself.
class MergeTable {
 public:
  using Symbol = std::uint32_t;

  /// Symbols are the indices of `tokens`, which are sorted by name; `merges` are pairs of names, the first is merged
  /// first. Throws InputError, naming `source` and the merge, where a part or the merged token is not among the tokens
  /// or a pair is given twice.
  MergeTable(const std::vector<std::pair<std::string_view, std::uint32_t>>& tokens,
             const std::vector<std::pair<std::string, std::string>>& merges, const std::string& source);

  /// Merges in place, until no merge applies: the one of lowest rank first, the leftmost of equals.
  void merge(std::vector<Symbol>& symbols) const;

 private:
  struct Merge {
    Symbol left;
    Symbol right;
    std::uint32_t rank;
  };

  static constexpr std::uint32_t no_rank = 0xFFFFFFFF;

  std::uint32_t rank(Symbol left, Symbol right) const;
  void merge_short(std::vector<Symbol>& symbols) const;
  void merge_long(std::vector<Symbol>& symbols) const;

  std::vector<Merge> merges_;              // sorted by left, right
  std::vector<std::uint32_t> left_begin_;  // by left symbol: its first merge
  std::vector<Symbol> results_;            // by rank
};

}  // namespace gausscse
