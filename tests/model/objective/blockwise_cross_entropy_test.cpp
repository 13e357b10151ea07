#include "model/objective/blockwise_cross_entropy.hpp"

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include "tests/model/objective/cosine_brute_force.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// The result depends neither on the cut of candidates into blocks nor on the order of the blocks.
TEST(BlockwiseCrossEntropy, TakesCandidatesInBlocksOfAnySizeAndOrder) {
  at::manual_seed(3);
  const auto units = [](std::int64_t rows) {
    const at::Tensor x = at::randn({rows, 6}, at::kDouble);
    return x / x.norm(2, 1, true);
  };
  const at::Tensor anchors = units(40), positive = units(70), hard_negative = units(70);
  std::vector<double> losses;
  std::vector<at::Tensor> gradients;
  for (const std::int64_t size : {70, 1, 33, 40}) {
    BlockwiseCrossEntropy cross_entropy(anchors, 20, {.temperature = 0.1, .hard_negative_weight = 0.5});
    const at::Tensor gradient = at::zeros({40 + 2 * 70, 6}, at::kDouble);
    const auto for_each_block = [&](const auto& use) {
      for (const bool is_positive : {size == 33, size != 33}) {
        for (std::int64_t begin = 0; begin < 70; begin += size) {
          const std::int64_t count = std::min<std::int64_t>(size, 70 - begin);
          use(CandidateBlock{(is_positive ? positive : hard_negative).narrow(0, begin, count), begin, is_positive},
              gradient.narrow(0, (is_positive ? 40 : 110) + begin, count));
        }
      }
    };
    for_each_block([&](const CandidateBlock& given, const at::Tensor&) { cross_entropy.accumulate(given); });
    losses.push_back(cross_entropy.loss().item<double>());
    for_each_block([&](const CandidateBlock& given, const at::Tensor& of_block) {
      cross_entropy.backward(given, 0.25, gradient.narrow(0, 0, 40), of_block);
    });
    gradients.push_back(gradient);
    EXPECT_NEAR(losses.back(), losses.front(), 1e-11) << size;
    EXPECT_LE(largest_difference(gradients.back(), gradients.front()), 1e-13) << size;
  }
  EXPECT_GT(losses.front(), 1);
  EXPECT_GT(gradients.front().abs().max().item<double>(), 0.1);
}

}  // namespace
}  // namespace gausscse
