#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/corpus/token_store.hpp"

namespace gausscse {

/// The token ids that occur often enough to be compared between sentences.
class CountedIds {
 public:
  /// Fewer occurrences do not count, as the released notebook has it.
  static constexpr std::size_t least_occurrences = 5;

  /// Counts the ids that occur at least `least_occurrences` times in `store`. With `pad` the padding counts, too: each
  /// sentence has as many of it as the longest has tokens more.
  CountedIds(const TokenStore& store, std::optional<std::uint32_t> pad);

  struct Counted {
    std::uint32_t id;
    std::size_t occurrences;
  };

  std::size_t size() const { return ids_.size(); }
  /// Returns the ids by their numbers, which are in the order of ids.
  const std::vector<Counted>& ids() const { return ids_; }
  /// Returns the number of `id` among them, from 0 on, or -1.
  std::int64_t number_of(std::uint32_t id) const { return id < number_.size() ? number_[id] : -1; }

 private:
  std::vector<Counted> ids_;
  std::vector<std::int64_t> number_;
};

/// One token of each of some distinct sentences.
struct TokenSample {
  /// For each sentence of the store its row in the sample, or -1.
  std::vector<std::int64_t> row_of_sentence;
  /// For each sentence of the sample the token, counted from the sentence's first.
  std::vector<std::uint32_t> token_of_row;
};

/// Draws `count` distinct sentences, or all where there are fewer, and a token of each, all equally likely. Draws under
/// the same seed differ by `draw`.
TokenSample draw_token_sample(const TokenStore& store, std::size_t count, std::uint64_t seed, std::uint64_t draw);

/// One sentence's hidden states in one layer.
struct SentenceStates {
  std::uint32_t sentence;              ///< its number
  std::span<const std::uint32_t> ids;  ///< ids of its tokens, and of the pad after them where there is one
  std::size_t tokens;                  ///< without that pad
  const float* states;                 ///< [ids, width]
};

/// Sums from which the metrics of a layer are made, over sentences, in float64. They are of the hidden states x and of
/// these divided by their norms, u = x / |x| (of a zero vector: 0). m is the mean of a sentence's u.
class LayerStatistics {
 public:
  /// Keeps the u of the tokens in `samples`, and the mean x of `kept_sentences` sentences, from the first on. `ids` and
  /// `samples` must outlive it.
  LayerStatistics(std::int64_t width, const CountedIds& ids, std::span<const TokenSample> samples,
                  std::int64_t kept_sentences = 0);

  void add(const SentenceStates& sentence);

  /// Returns all sums below, back to back: sums over ranks are this one's.
  at::Tensor& totals() { return totals_; }

  double sentences() const { return counts_[0]; }
  double tokens() const { return counts_[1]; }
  /// Returns the sum of |x| over tokens.
  double norms() const { return counts_[2]; }
  /// Returns the sum over sentences of the mean |x|.
  double norms_of_sentences() const { return counts_[3]; }
  /// Returns the sum over sentences of the mean over tokens of cos(x, mean of the sentence's x).
  double intra_sentence_similarities() const { return counts_[4]; }
  /// Returns the sum of m, and below of its elements' squares: [width].
  const at::Tensor& mean_sum() const { return mean_sum_; }
  const at::Tensor& mean_squares() const { return mean_squares_; }
  /// Returns for each counted id the number of sentences that have it [ids], and below the sum over these of the u of
  /// its first occurrence [ids, width].
  const at::Tensor& id_sentences() const { return id_sentences_; }
  const at::Tensor& id_sums() const { return id_sums_; }
  /// Returns the mean x of each sentence that is kept: [sentences, width].
  const at::Tensor& sentence_means() const { return sentence_means_; }
  /// Returns the u of sample `number`: [rows, width].
  at::Tensor sample(std::size_t number) const { return samples_[number]; }

 private:
  std::int64_t width_;
  const CountedIds& counted_;
  std::span<const TokenSample> drawn_;
  at::Tensor totals_;
  double* counts_;
  at::Tensor mean_sum_, mean_squares_, id_sentences_, id_sums_, sentence_means_;
  std::vector<at::Tensor> samples_;
  std::vector<double> unit_, mean_, mean_unit_;  ///< for one sentence: u of its tokens, mean x, m
};

}  // namespace gausscse
