#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "model/objective/objective_settings.hpp"

namespace gausscse {

// Bounds of a contrastive loss of cosines where every anchor and its positive are alike (cosine 1), with `candidates`
// for each anchor, the positive among them. They are equations 10 and 11 of "On Isotropy, Contextualization and
// Learning Dynamics of Contrastive-based Sentence Representation Learning". Temperatures are over 0, candidates at
// least 1; these need not be whole, as a weight of e^w makes of one candidate as many.

/// Returns the loss where all other candidates are orthogonal to the anchor: -ln(e^(1/t) / (e^(1/t) + n - 1)). A
/// smaller loss has candidates that point away.
inline double upper_bound_of_loss(double temperature, double candidates) {
  return std::log1p((candidates - 1) * std::exp(-1 / temperature));
}

/// Returns the loss where all other candidates are the anchor's opposite, cosine -1: -ln(e^(2/t) / (e^(2/t) + n - 1)).
/// No loss is smaller. The value at twice the temperature is the upper bound.
inline double lower_bound_of_loss(double temperature, double candidates) {
  return std::log1p((candidates - 1) * std::exp(-2 / temperature));
}

struct LossBounds {
  double lower, upper;
};

/// Returns the bounds of a batch of `batch_size` examples. An own hard negative of weight w counts as e^w candidates.
/// For both directions the bounds are the means of both; entailments as anchors have no hard negatives. Nothing where
/// the loss is not of cosines.
inline std::optional<LossBounds> loss_bounds(const ObjectiveSettings& objective, std::int64_t batch_size) {
  if (objective.kind != ObjectiveKind::cosine_contrastive) return std::nullopt;
  const auto batch = static_cast<double>(batch_size);
  const double candidates = objective.hard_negatives ? 2 * batch - 1 + std::exp(objective.hard_negative_weight) : batch;
  const auto bound = [&](double (*of)(double, double)) {
    const double loss = of(objective.temperature, candidates);
    return objective.directions == Directions::both ? (loss + of(objective.temperature, batch)) / 2 : loss;
  };
  return LossBounds{bound(lower_bound_of_loss), bound(upper_bound_of_loss)};
}

}  // namespace gausscse
