#include "inference/pair_evidence.hpp"

#include <cstdint>
#include <numeric>

#include "model/objective/similarity.hpp"

namespace gausscse {

std::vector<PairEvidence> evidence_of_rows(const at::Tensor& first, const at::Tensor& second, Similarity similarity) {
  const at::Tensor forward = pairwise_similarity(second, first, similarity);
  const at::Tensor backward = pairwise_similarity(first, second, similarity);
  const at::Tensor p = first.contiguous(), q = second.contiguous();
  const std::int64_t width = p.size(1), dimension = width / 2;
  std::vector<PairEvidence> pairs;
  for (std::int64_t i = 0; i < p.size(0); ++i) {
    PairEvidence& pair = pairs.emplace_back();
    pair.forward = static_cast<double>(forward.const_data_ptr<float>()[i]);
    pair.backward = static_cast<double>(backward.const_data_ptr<float>()[i]);
    pair.cosine = 0;
    if (!is_gaussian(similarity)) continue;
    const float *const row_p = p.const_data_ptr<float>() + i * width, *const row_q =
                                                                          q.const_data_ptr<float>() + i * width;
    const auto sum_of = [&](const float* row) { return std::accumulate(row + dimension, row + width, 0.0); };
    pair.log_var_difference = (sum_of(row_q) - sum_of(row_p)) / static_cast<double>(dimension);
    pair.cosine = cosine(row_p, row_q, dimension);
  }
  return pairs;
}

}  // namespace gausscse
