#pragma once

#include <ATen/core/Tensor.h>

#include "model/choices.hpp"

namespace gausscse {

/// sim(p_i || q_i) for rows of `p` and `q`, [n, 2*dimension] (mean, log-variance): [n], float32.
at::Tensor pairwise_similarity(const at::Tensor& p, const at::Tensor& q, SimilarityKind kind);

}  // namespace gausscse
