#pragma once

#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/choices.hpp"

namespace gausscse {

/// Returns the cosine of two vectors of `width` numbers, summed in float64; 0 where one of them is zero. The cosine of
/// equal vectors is exactly 1 and that of opposite ones exactly -1: rounding would give such pairs several values and
/// order them.
template <typename T>
double cosine(const T* p, const T* q, std::int64_t width) {
  double product = 0, square_p = 0, square_q = 0;
  for (std::int64_t i = 0; i < width; ++i) {
    const double a = static_cast<double>(p[i]), b = static_cast<double>(q[i]);
    product += a * b;
    square_p += a * a;
    square_q += b * b;
  }
  const double lengths = std::sqrt(square_p) * std::sqrt(square_q);
  if (lengths == 0) return 0;
  if (std::isfinite(lengths)) {
    if (std::equal(p, p + width, q)) return 1;
    if (std::equal(p, p + width, q, [](T a, T b) { return a == -b; })) return -1;
  }
  return product / lengths;
}

/// Returns sim(p || q) of two rows of `width` numbers, [mean | log_var] or plain vectors, in float64.
double row_similarity(const float* p, const float* q, std::int64_t width, Similarity similarity);

/// Returns the cosines of rows of `p` and `q`, as `cosine` has them: [n], float64, on their device.
at::Tensor pairwise_cosine(const at::Tensor& p, const at::Tensor& q);

/// Returns sim(p_i || q_i) for rows of `p` and `q`: [n], float32. Rows of Gaussians are [n, 2*dimension] (mean,
/// log-variance); the cosine is that of whole rows, and 0 where one of them is zero. Values are those of
/// `row_similarity`, in float32, on the device of the rows.
at::Tensor pairwise_similarity(const at::Tensor& p, const at::Tensor& q, Similarity similarity);

}  // namespace gausscse
