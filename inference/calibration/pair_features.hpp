#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>

#include "model/similarities/similarity.hpp"

namespace gausscse {

/// Evidence on one pair of sentences, from which the probability is computed that the first entails the second.
struct PairEvidence {
  double forward = 0;             ///< sim(second || first)
  double backward = 0;            ///< sim(first || second); `forward` for a similarity without direction
  double log_var_difference = 0;  ///< mean log-variance of the second less that of the first; 0 without variances
  /// `log_length_ratio_of` the two sentences; nothing where their texts are not known. The logistic calibrator then
  /// takes the mean of the pairs that it was fitted on.
  std::optional<double> log_length_ratio = std::nullopt;
  /// Cosine of the means of two Gaussians; 0 for other embeddings, whose similarity is the cosine. Nothing where it was
  /// not computed: as for the ratio of lengths.
  std::optional<double> cosine = std::nullopt;
};

/// Returns ln(second / first) of two lengths in Unicode code points. An empty sentence counts as one character.
inline double log_length_ratio_of(std::size_t first, std::size_t second) {
  return std::log(static_cast<double>(std::max<std::size_t>(second, 1)) /
                  static_cast<double>(std::max<std::size_t>(first, 1)));
}

/// Returns the logit of a similarity, ln(s / (1 - s)), with s clipped to [1e-7, 1 - 1e-7]. A cosine, in [-1, 1], is
/// taken as s = (1 + cosine) / 2.
inline double similarity_logit(double similarity, Similarity kind) {
  constexpr double margin = 1e-7;
  const double share = std::clamp(is_gaussian(kind) ? similarity : (1 + similarity) / 2, margin, 1 - margin);
  return std::log(share) - std::log1p(-share);
}

/// Columns of the logistic calibrator of pairs. They are the logits of both similarities, first `forward`, then the
/// difference of mean log-variances, the logarithm of the ratio of lengths and the cosine of the means. The first
/// column alone is that of the others. A calibration of hits has the columns of hit_features.hpp.
using PairFeatures = std::array<double, 5>;

/// Returns the columns of one pair. Those of `means` replace its unknown values.
inline PairFeatures features_of(const PairEvidence& pair, Similarity kind, const PairFeatures& means = {}) {
  return {similarity_logit(pair.forward, kind), similarity_logit(pair.backward, kind), pair.log_var_difference,
          pair.log_length_ratio.value_or(means[3]), pair.cosine.value_or(means[4])};
}

}  // namespace gausscse
