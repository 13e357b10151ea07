#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// Identity of a sentence for a model: a hash of its token ids, cut as the model cuts them. Sentences of equal tokens,
/// such as those that differ in case for an uncased tokenizer, are the same sentence.
class SentenceIdentity {
 public:
  /// `tokenizer` must outlive the object.
  SentenceIdentity(const Tokenizer& tokenizer, std::size_t max_tokens)
      : tokenizer_(tokenizer), max_tokens_(max_tokens) {}

  std::size_t operator()(std::string_view sentence) const;

 private:
  const Tokenizer& tokenizer_;
  std::size_t max_tokens_;
};

/// Filter that keeps the first of equal sentences, and no blank one.
class DistinctSentences {
 public:
  explicit DistinctSentences(SentenceIdentity identity) : identity_(identity) {}

  /// Removes from a block what it or an earlier block had.
  void keep_new(std::vector<std::string>& sentences);

 private:
  SentenceIdentity identity_;
  std::unordered_set<std::size_t> seen_;
};

/// Premise, a sentence that it entails, and a hard negative: a sentence that the model takes for entailed and that the
/// pairs do not.
struct MinedTriple {
  const std::string& premise;
  const std::string& entailed;
  const std::string& negative;
};

/// Pairs of premise and entailed sentence, for which hard negatives are mined. Distinct premises are the queries of a
/// search.
///
///     MinedPairs pairs(identity);
///     pairs.add(block);  // ["A dog runs.", "An animal moves.", ...] -> ["A dog runs."], the new premises
///     search for pairs.most_excluded() + skip + count rows of each premise
///     pairs.take(0, {"An animal moves.", "A dog sleeps."}, skip, count);  // texts of its rows, the best first
///     pairs.for_each_triple(write);
class MinedPairs {
 public:
  explicit MinedPairs(SentenceIdentity identity) : identity_(identity) {}

  /// Adds the pairs of a block, premise and entailed sentence in turn, and leaves the premises in it that are new.
  void add(std::vector<std::string>& sentences);

  std::size_t premises() const { return premises_.size(); }
  std::size_t pairs() const { return pairs_.size(); }
  /// Returns the largest number of distinct sentences that are no negatives of one premise: itself and those that it
  /// entails.
  std::size_t most_excluded() const;

  /// Sets the negatives of a premise: of `texts`, distinct and the best first, those that are neither the premise nor
  /// one of its entailed sentences; the first `skip` of these are left out, and at most `count` are taken.
  void take(std::size_t premise, const std::vector<std::string>& texts, std::size_t skip, std::size_t count);

  /// Calls `use` for each pair, in the order of the file, with each negative of its premise.
  template <typename Use>
  void for_each_triple(const Use& use) const {
    for (const Pair& pair : pairs_)
      for (const std::string& negative : premises_[pair.premise].negatives)
        use(MinedTriple{premises_[pair.premise].text, pair.entailed, negative});
  }

 private:
  struct Premise {
    std::string text;
    std::unordered_set<std::size_t> excluded;
    std::vector<std::string> negatives;
  };
  struct Pair {
    std::size_t premise;
    std::string entailed;
  };

  SentenceIdentity identity_;
  std::vector<Premise> premises_;
  std::unordered_map<std::size_t, std::size_t> places_;  ///< place in `premises_` by identity
  std::vector<Pair> pairs_;
};

}  // namespace gausscse
