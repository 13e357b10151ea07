#pragma once

#include <vector>

namespace gausscse {

/// Similarities of the two sentences of each pair, in all the ways that MTEB scores.
struct PairSimilarities {
  std::vector<double> own;  ///< by the model's similarity
  std::vector<double> cosine, dot;
  std::vector<double> manhattan, euclidean;  ///< distances: the smaller, the more similar
};

}  // namespace gausscse
