#include "model/kernels/cuda/similarity.cuh"

#include <limits>

#include "tests/model/kernels/cuda/kernel_test.hpp"
#include "tests/model/similarities/closed_form.hpp"

namespace gausscse {
namespace {

/// Rows of [mean | log_var] in pairs; the first is paired with itself.
template <typename T>
struct Pairs {
  Pairs(std::int64_t pairs, std::int64_t dimension, double log_var_spread)
      : p(random_values<T>(pairs * 2 * dimension, 5, 1.5)) {
    const std::int64_t width = 2 * dimension;
    for (std::int64_t i = 0; i < pairs * width; ++i)
      if (i % width >= dimension) p[static_cast<std::size_t>(i)] *= static_cast<T>(log_var_spread / 1.5);
    for (std::int64_t i = 0; i < pairs; ++i) {
      const auto row = p.begin() + (i * 7 % pairs) * width;
      q.insert(q.end(), row, row + width);
    }
  }

  std::vector<T> p, q;
};

template <typename T>
void expect_as_on_cpu(std::int64_t pairs, std::int64_t dimension, Similarity kind, double log_var_spread) {
  SCOPED_TRACE(std::to_string(pairs) + " pairs, dimension " + std::to_string(dimension));
  const Pairs<T> in(pairs, dimension, log_var_spread);
  std::vector<float> expected(static_cast<std::size_t>(pairs), -1.0f), actual(static_cast<std::size_t>(pairs), -2.0f);
  kernels::kernel_table<T>().similarity({}, in.p.data(), in.q.data(), pairs, dimension, kind, expected.data());
  GpuOnCpu gpu;
  kernels::cuda::similarity<T>(gpu.context(), in.p.data(), in.q.data(), pairs, dimension, kind, actual.data());
  // Both are float64 that is rounded at the end.
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1.2e-7f * expected[i]) << i;
}

TEST(CudaSimilarity, IsThatOfTheCpu) {
  for_each_order([] {
    for (const Similarity kind : all_similarities()) {
      for (const std::int64_t pairs : {0, 1, 45}) {
        for (const std::int64_t dimension : {1, 5, 33, 64}) {
          expect_as_on_cpu<float>(pairs, dimension, kind, 1);
          expect_as_on_cpu<double>(pairs, dimension, kind, 1);
        }
      }
      expect_as_on_cpu<float>(45, 33, kind, 100);
    }
  });
}

TEST(CudaSimilarity, ByHand) {
  // kl of N(3, e^2) and N(1, 1): (e^2 + 4 - 1 - 2) / 2, and of the other way round (e^-2 + 4 e^-2 - 1 + 2) / 2.
  const double p[] = {3, 2, 1, 0}, q[] = {1, 0, 3, 2};
  const double forth = (std::exp(2.0) + 1) / 2, back = (5 * std::exp(-2.0) + 1) / 2;
  for (const Similarity kind : {Similarity::per_dimension, Similarity::joint}) {
    float similarity[2] = {};
    GpuOnCpu gpu;
    kernels::cuda::similarity<double>(gpu.context(), p, q, 2, 1, kind, similarity);
    EXPECT_FLOAT_EQ(similarity[0], static_cast<float>(1 / (1 + forth)));
    EXPECT_FLOAT_EQ(similarity[1], static_cast<float>(1 / (1 + back)));
  }
}

TEST(CudaSimilarity, NotANumberStaysOne) {
  const float p[] = {3, 2, 3, 2}, q[] = {1, std::numeric_limits<float>::quiet_NaN(), 3, 2};
  float similarity[2] = {};
  GpuOnCpu gpu;
  kernels::cuda::similarity<float>(gpu.context(), p, q, 2, 1, Similarity::per_dimension, similarity);
  EXPECT_TRUE(std::isnan(similarity[0]));
  EXPECT_EQ(similarity[1], 1.0f);
}

}  // namespace
}  // namespace gausscse
