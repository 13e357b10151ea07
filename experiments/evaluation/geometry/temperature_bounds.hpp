#pragma once

#include <cmath>

namespace gausscse {

// What a contrastive loss of cosines comes to where every anchor and its positive are alike (cosine 1), with
// `candidates` for each anchor, the positive among them ("On Isotropy, Contextualization and Learning Dynamics of
// Contrastive-based Sentence Representation Learning", equations 10 and 11). Temperatures are over 0, candidates at
// least 1; these need not be whole, as a weight of e^w makes of one candidate as many.

/// All others are orthogonal to the anchor: -ln(e^(1/t) / (e^(1/t) + n - 1)). A loss below has others that point away.
inline double upper_bound_of_loss(double temperature, double candidates) {
  return std::log1p((candidates - 1) * std::exp(-1 / temperature));
}

/// All others are the anchor's opposite, cosine -1: -ln(e^(2/t) / (e^(2/t) + n - 1)). No loss is below. That of twice
/// the temperature is the upper bound.
inline double lower_bound_of_loss(double temperature, double candidates) {
  return std::log1p((candidates - 1) * std::exp(-2 / temperature));
}

}  // namespace gausscse
