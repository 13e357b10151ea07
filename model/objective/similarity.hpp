#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "model/kernels/kernels.hpp"

namespace gausscse {

/// Similarity of Gaussians p and q with diagonal covariance. Per dimension
///   kl_d = ((s_p/s_q)^2 + ((m_p - m_q)/s_q)^2 - 1 - 2 log(s_p/s_q)) / 2;
/// `per_dimension` (released program) is the mean over d of 1 / (1 + kl_d), `joint` (paper, eq. 2) is
/// 1 / (1 + sum over d of kl_d). Both lie in (0, 1].
using SimilarityKind = kernels::SimilarityKind;

/// The kind called `name` (`per_dimension` or `joint`); std::logic_error for another name.
SimilarityKind similarity_kind(const std::string& name);

/// sim(p_i || q_i) for rows of `p` and `q`, [n, 2*dimension] (mean, log-variance): [n], float32.
at::Tensor pairwise_similarity(const at::Tensor& p, const at::Tensor& q, SimilarityKind kind);

}  // namespace gausscse
