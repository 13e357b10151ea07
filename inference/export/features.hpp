#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "base/choice.hpp"
#include "inference/search/search_hit.hpp"

namespace gausscse {

/// Vectors whose inner products order a corpus as a search by joint KL does, for stores of vectors:
///
///     at::matmul(features(queries, query, entails), features(corpus, stored, entails).t())  // largest first
///
/// With q the first and p the second Gaussian of KL(q || p), m and s mean and variance of each of d dimensions,
///
///     -(2 KL(q || p) + c) = -< [s_q + m_q^2, m_q, 1], [1/s_p, -2 m_p/s_p, sum(m_p^2/s_p + ln s_p)] >, c = d + sum ln
///     s_q
///     -(2 KL(q || p) + c) = -< [s_q + m_q^2, m_q, -sum ln s_q], [1/s_p, -2 m_p/s_p, 1] >, c = d - sum(m_p^2/s_p + ln
///     s_p)
///
/// where c is constant for a query: the first form if the query is q (rows that entail it), the second if it is p (rows
/// that it entails). The minus is on the side of the query. KL is a small difference of large sums, so the order of
/// float32 is a shortlist.
enum class FeatureSide {
  stored,  ///< rows of the corpus
  query    ///< queries
};
template <>
inline constexpr NameTable<FeatureSide, 2> names<FeatureSide>{
    {{FeatureSide::stored, "stored"}, {FeatureSide::query, "query"}}};

/// Returns the features of Gaussians [n, 2 d] (mean | log-variance, float32, on the CPU): float32 [n, 2 d + 1].
/// `direction` is not `both`. Throws InputError, with the row's number, of which the first has `first_row`, where a
/// value is not finite or too large for float32.
at::Tensor joint_features(const at::Tensor& rows, FeatureSide side, SearchDirection direction, std::uint64_t first_row);

}  // namespace gausscse
