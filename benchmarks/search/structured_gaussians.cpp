#include "benchmarks/search/structured_gaussians.hpp"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/philox.hpp"
#include "model/parallel_tasks.hpp"

namespace gausscse {

namespace {

/// Returns about a normal number: the sum of four uniform ones of a byte each, at variance 1.
float about_normal(std::uint32_t bits) {
  const std::uint32_t sum = (bits & 255) + (bits >> 8 & 255) + (bits >> 16 & 255) + (bits >> 24);
  return (static_cast<float>(sum) - 510.0f) / 147.8f;
}

}  // namespace

at::Tensor structured_gaussians(std::int64_t rows, std::int64_t dimension, std::uint64_t stream, int threads) {
  constexpr std::uint32_t topics = 2000;
  constexpr std::uint64_t seed = 1;
  constexpr std::int64_t rows_of_task = 1000;
  std::vector<float> centers(static_cast<std::size_t>(topics * 2 * dimension));
  PhiloxStream of_topics(seed, 0);
  for (float& value : centers) value = about_normal(of_topics.next());
  at::Tensor result = at::empty({rows, 2 * dimension}, at::kFloat);
  auto* values = result.mutable_data_ptr<float>();
  run_tasks((rows + rows_of_task - 1) / rows_of_task, threads, [&](std::int64_t task, int) {
    PhiloxStream draws(seed, (stream << 32) + static_cast<std::uint64_t>(task) + 1);
    for (std::int64_t row = task * rows_of_task; row < std::min((task + 1) * rows_of_task, rows); ++row) {
      const float* center = centers.data() + static_cast<std::int64_t>(draws.below(topics)) * 2 * dimension;
      const float specific = about_normal(draws.next());
      float* mean = values + row * 2 * dimension;
      for (std::int64_t d = 0; d < dimension; ++d) {
        mean[d] = std::tanh(0.4f * center[d] + 0.4f * about_normal(draws.next()));
        mean[dimension + d] = -1 + 0.4f * specific + 0.3f * center[dimension + d] + 0.3f * about_normal(draws.next());
      }
    }
  });
  return result;
}

}  // namespace gausscse
