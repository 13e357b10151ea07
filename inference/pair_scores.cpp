#include "inference/pair_scores.hpp"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "model/device/transfers.hpp"
#include "model/objective/similarity.hpp"
#include "model/similarities/evaluation_forms.hpp"
#include "model/similarities/list.hpp"

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

/// Calls `score(first rows, second rows)`, which returns [pairs] in float64, for blocks of pairs on a GPU.
template <typename Score>
std::vector<double> scores_on_gpu(const at::Tensor& embeddings, std::span<const RowPair> pairs, const Score& score) {
  const at::Tensor scores =
      at::empty({static_cast<std::int64_t>(pairs.size())}, embeddings.options().dtype(at::kDouble));
  for_each_block(embeddings, pairs, [&](std::int64_t begin, const at::Tensor& first, const at::Tensor& second) {
    scores.narrow(0, begin, first.size(0)).copy_(score(first, second));
  });
  const at::Tensor on_host = scores.cpu();
  const double* const values = on_host.const_data_ptr<double>();
  return {values, values + pairs.size()};
}

/// Arithmetic of tensors, for the similarities' headers.
struct TensorMath {
  static at::Tensor exp(const at::Tensor& x) { return x.exp(); }
  static at::Tensor log(const at::Tensor& x) { return x.log(); }
  static at::Tensor reciprocal(const at::Tensor& x) { return x.reciprocal(); }
};

bool is_zero(const float* row, std::int64_t width) {
  return std::all_of(row, row + width, [](float value) { return value == 0; });
}

}  // namespace

void for_each_block(const at::Tensor& embeddings, std::span<const RowPair> pairs,
                    const std::function<void(std::int64_t, const at::Tensor&, const at::Tensor&)>& visit) {
  const auto count = static_cast<std::int64_t>(pairs.size());
  at::Tensor numbers = at::empty({2, count}, at::kLong);
  auto* number = numbers.mutable_data_ptr<std::int64_t>();
  for (const RowPair& pair : pairs) {
    number[count] = pair.second;
    *number++ = pair.first;
  }
  numbers = ops::to_device(numbers, embeddings.device());
  for (std::int64_t begin = 0; begin < count; begin += pairs_of_block) {
    const at::Tensor block = numbers.narrow(1, begin, std::min(pairs_of_block, count - begin));
    visit(begin, embeddings.index_select(0, block[0]), embeddings.index_select(0, block[1]));
  }
}

std::vector<double> cosine_scores(const at::Tensor& embeddings, std::int64_t width, std::span<const RowPair> pairs) {
  if (!embeddings.is_cpu())
    return scores_on_gpu(embeddings, pairs, [&](const at::Tensor& p, const at::Tensor& q) {
      return pairwise_cosine(p.narrow(1, 0, width), q.narrow(1, 0, width));
    });
  return scores_of(embeddings, pairs, [&](const float* p, const float* q) { return cosine(p, q, width); });
}

std::vector<double> symmetric_scores(const at::Tensor& embeddings, Similarity kind, std::span<const RowPair> pairs) {
  const std::int64_t dimension = embeddings.size(1) / 2;
  if (!embeddings.is_cpu())
    return kernels::with_similarity<TensorMath>(kind, [&](auto of) {
      using S = decltype(of);
      return scores_on_gpu(embeddings, pairs, [&](const at::Tensor& p, const at::Tensor& q) {
        const auto part = [&](const at::Tensor& rows, std::int64_t first) {
          return rows.narrow(1, first, dimension).to(at::kDouble);
        };
        const at::Tensor summands =
            kernels::symmetric_term<S, TensorMath>(part(p, 0), part(p, dimension), part(q, 0), part(q, dimension));
        return S::similarity(summands.sum(1), static_cast<double>(dimension));
      });
    });
  return kernels::with_similarity<kernels::HostMath>(kind, [&](auto of) {
    using S = decltype(of);
    return scores_of(embeddings, pairs, [&](const float* p, const float* q) {
      double sum = 0;
      for (std::int64_t d = 0; d < dimension; ++d)
        sum += kernels::symmetric_term<S, kernels::HostMath>(
            static_cast<double>(p[d]), static_cast<double>(p[dimension + d]), static_cast<double>(q[d]),
            static_cast<double>(q[dimension + d]));
      return S::similarity(sum, static_cast<double>(dimension));
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
