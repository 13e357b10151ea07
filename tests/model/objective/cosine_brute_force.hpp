#pragma once

#include <ATen/core/Tensor.h>

#include "model/objective/objective_settings.hpp"

namespace gausscse {

struct LossAndGradient {
  double loss;
  at::Tensor gradient;
};

/// Returns the loss of cosines over all anchors of `embeddings` (float64), in plain loops over pairs: one
/// softmax a row, and the explicit derivative of each cosine.
LossAndGradient brute_force_cosine_contrastive(const at::Tensor& embeddings, const ObjectiveSettings& settings);

/// Returns the largest difference of any two elements, in float64.
double largest_difference(const at::Tensor& a, const at::Tensor& b);

}  // namespace gausscse
