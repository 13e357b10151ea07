#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "inference/calibration/pair_features.hpp"

namespace gausscse {

/// Number of a query's hits that the evidence compares: the best one with the second and with the last of these.
inline constexpr std::size_t compared_hits = 10;

/// Evidence that the best of a query's hits is right: the hit as a pair, and the similarities of hits behind it.
struct HitEvidence {
  PairEvidence pair;  ///< the row is the first sentence, the query the second; lengths and cosine are not used
  double second = 0;  ///< sim(query || row) of the second hit
  double last = 0;    ///< sim(query || row) of the last of `compared_hits`, or of all rows if they are fewer
};

/// Returns the columns of the best hit, with x the logit of a similarity as in `similarity_logit`:
///
///   sqrt(x of the best - x of the second)    the column of the calibrators that have one
///   x of the best - x of the last
///   x of sim(query || row), x of sim(row || query), mean log-variance of the query less that of the row
///
/// The root brings the long tail of margins nearer to the others.
inline PairFeatures features_of(const HitEvidence& hit, Similarity kind) {
  const double best = similarity_logit(hit.pair.forward, kind);
  const auto margin = [&](double similarity) { return std::max(0.0, best - similarity_logit(similarity, kind)); };
  return {std::sqrt(margin(hit.second)), margin(hit.last), best, similarity_logit(hit.pair.backward, kind),
          hit.pair.log_var_difference};
}

}  // namespace gausscse
