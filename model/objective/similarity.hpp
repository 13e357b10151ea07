#pragma once

#include <ATen/core/Tensor.h>

#include "model/choices.hpp"

namespace gausscse {

/// Returns sim(p_i || q_i) for rows of `p` and `q`: [n], float32. Rows of Gaussians are [n, 2*dimension] (mean,
/// log-variance); the cosine is that of whole rows, and 0 where one of them is zero.
at::Tensor pairwise_similarity(const at::Tensor& p, const at::Tensor& q, Similarity similarity);

}  // namespace gausscse
