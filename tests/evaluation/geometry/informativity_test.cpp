#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/corrcoef.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include "evaluation/geometry/rogue_dimensions.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// r^2 of the cosines of all pairs of rows, with all columns and with those of `kept`, by their definitions.
double expected(const at::Tensor& sample, const std::vector<std::int64_t>& kept) {
  const at::Tensor rest = sample.index_select(1, at::tensor(kept, at::kLong));
  std::vector<double> with_all, without;
  const auto cosine = [](const at::Tensor& a, const at::Tensor& b) {
    return (a.dot(b) / (a.norm() * b.norm())).item<double>();
  };
  for (std::int64_t i = 0; i < sample.size(0); ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      with_all.push_back(cosine(sample[i], sample[j]));
      without.push_back(cosine(rest[i], rest[j]));
    }
  }
  const at::Tensor both = at::stack({at::tensor(with_all, at::kDouble), at::tensor(without, at::kDouble)});
  const double r = at::corrcoef(both)[0][1].item<double>();
  return r * r;
}

TEST(Informativity, IsTheSquaredCorrelationOfCosinesWithoutTheFirstDimensions) {
  constexpr std::int64_t width = 12;
  at::manual_seed(4);
  const std::vector<at::Tensor> samples{at::randn({9, width}, at::kDouble), at::randn({7, width}, at::kDouble)};
  const std::vector<std::int64_t> order{3, 11, 0, 7, 5, 1, 2, 4, 6, 8, 9, 10};
  const std::vector<Informativity> result = informativity_without(order, samples);
  ASSERT_EQ(result.size(), 5u);  // 20 and more are not there to be removed
  const std::vector<std::int64_t> counts{1, 2, 3, 5, 10};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::vector<std::int64_t> kept(order.begin() + counts[i], order.end());
    const double first = expected(samples[0], kept), second = expected(samples[1], kept);
    EXPECT_EQ(result[i].removed, counts[i]);
    EXPECT_NEAR(result[i].mean, (first + second) / 2, 1e-10);
    EXPECT_NEAR(result[i].deviation, std::abs(first - second) / std::sqrt(2.0), 1e-10);
  }
}

TEST(Informativity, OneSampleHasNoDeviation) {
  at::manual_seed(4);
  const std::vector<at::Tensor> samples{at::randn({9, 4}, at::kDouble)};
  const std::vector<std::int64_t> order{0, 1, 2, 3};
  for (const Informativity& without : informativity_without(order, samples)) EXPECT_TRUE(std::isnan(without.deviation));
}

}  // namespace
}  // namespace gausscse
