#include "inference/pair_scores.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "model/kernels/similarities/list.hpp"
#include "model/objective/similarity.hpp"

namespace gausscse {

namespace {

/// Calls `score(first row, second row)` for each pair.
template <typename Score>
std::vector<double> scores_of(const at::Tensor& embeddings, std::span<const RowPair> pairs, const Score& score) {
  GAUSSCSE_CHECK(embeddings.scalar_type() == at::kFloat && embeddings.is_contiguous(), "rows of float32");
  const float* rows = embeddings.const_data_ptr<float>();
  std::vector<double> scores;
  scores.reserve(pairs.size());
  for (const RowPair& pair : pairs)
    scores.push_back(score(rows + pair.first * embeddings.size(1), rows + pair.second * embeddings.size(1)));
  return scores;
}

bool is_zero(const float* row, std::int64_t width) {
  return std::all_of(row, row + width, [](float value) { return value == 0; });
}

}  // namespace

std::vector<double> cosine_scores(const at::Tensor& embeddings, std::int64_t width, std::span<const RowPair> pairs) {
  return scores_of(embeddings, pairs, [&](const float* p, const float* q) { return cosine(p, q, width); });
}

std::vector<double> symmetric_scores(const at::Tensor& embeddings, Similarity kind, std::span<const RowPair> pairs) {
  const std::int64_t dimension = embeddings.size(1) / 2;
  return kernels::with_similarity<kernels::HostMath>(kind, [&](auto of) {
    using S = decltype(of);
    return scores_of(embeddings, pairs, [&](const float* p, const float* q) {
      double sum = 0;
      for (std::int64_t d = 0; d < dimension; ++d)
        sum += S::symmetric_summand(static_cast<double>(p[d]), static_cast<double>(p[dimension + d]),
                                    static_cast<double>(q[d]), static_cast<double>(q[dimension + d]));
      return S::exact_similarity(sum, static_cast<double>(dimension));
    });
  });
}

PairSimilarities pair_similarities(const at::Tensor& embeddings, std::int64_t width, std::span<const RowPair> pairs,
                                   std::vector<double> own) {
  const auto sum_of = [&](const auto& term) {
    return scores_of(embeddings, pairs, [&](const float* p, const float* q) {
      double sum = 0;
      for (std::int64_t d = 0; d < width; ++d) sum += term(static_cast<double>(p[d]), static_cast<double>(q[d]));
      return sum;
    });
  };
  PairSimilarities similarities;
  similarities.own = std::move(own);
  similarities.cosine = scores_of(embeddings, pairs, [&](const float* p, const float* q) {
    const bool p_is_zero = is_zero(p, width), q_is_zero = is_zero(q, width);
    if (p_is_zero || q_is_zero) return p_is_zero && q_is_zero ? 1.0 : 0.5;
    return cosine(p, q, width);
  });
  similarities.dot = sum_of([](double p, double q) { return p * q; });
  similarities.manhattan = sum_of([](double p, double q) { return std::abs(p - q); });
  similarities.euclidean = sum_of([](double p, double q) { return (p - q) * (p - q); });
  for (double& distance : similarities.euclidean) distance = std::sqrt(distance);
  return similarities;
}

}  // namespace gausscse
