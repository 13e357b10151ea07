#include "model/encoder/matrix_products.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace gausscse {
namespace {

using Way = MatrixProducts::Bfloat16Way;
constexpr std::pair<Precision, Way> all_ways[] = {
    {Precision::full, Way::fastest}, {Precision::bfloat16, Way::rounded}, {Precision::bfloat16, Way::native}};

TEST(MatrixProductsTest, RoundedWayMultipliesBfloat16Numbers) {
  at::manual_seed(3);
  const at::Tensor weights = at::randn({6 * 8}, at::kFloat);
  const at::Tensor weight = weights.view({6, 8}), x = at::randn({5, 8}, at::kFloat);
  const at::Tensor expected = at::mm(x.to(at::kBFloat16).to(at::kDouble), weight.to(at::kBFloat16).to(at::kDouble).t());
  for (const auto way : {Way::rounded, Way::native}) {
    MatrixProducts products(weights, Precision::bfloat16, way);
    at::Tensor out = at::empty({5, 6}, at::kFloat);
    const std::int64_t rows[] = {0, 5};
    products.forward(products.prepare(x, {rows, 1}, 0), weight, out);
    // The native way rounds the result to bfloat16, too: 8 bits.
    const double bound = way == Way::rounded ? 1e-6 : 1.0 / 256;
    EXPECT_LE(((out.to(at::kDouble) - expected) / expected.abs().clamp_min(1)).abs().max().item<double>(), bound);
    EXPECT_GT((out.to(at::kDouble) - at::mm(x, weight.t()).to(at::kDouble)).abs().max().item<double>(), 1e-4);
  }
}

/// Several tiles each way, the last ones cut short, and shards, one of them empty.
TEST(MatrixProductsTest, FixedTilesCoverTheProducts) {
  at::manual_seed(4);
  constexpr std::int64_t rows = 2100, in = 800, out = 1600;
  const std::vector<std::int64_t> offsets{0, 700, 700, 2000, rows};
  const kernels::RowShards shards{offsets.data(), 4};
  const at::Tensor weights = at::randn({out * in}, at::kFloat), weight = weights.view({out, in});
  const at::Tensor x = at::randn({rows, in}, at::kFloat), grad = at::randn({rows, out}, at::kFloat);
  for (const auto& [precision, way] : all_ways) {
    std::vector<std::vector<at::Tensor>> results;
    for (const bool fixed_tiles : {false, true}) {
      MatrixProducts products(weights, precision, way, fixed_tiles);
      const at::Tensor forward = at::empty({rows, out}, at::kFloat), input_gradient = at::empty({rows, in}, at::kFloat);
      const at::Tensor weight_gradient = at::ones({out, in}, at::kFloat);
      products.forward(products.prepare(x, shards, 0), weight, forward, at::ones({out}, at::kFloat));
      const MatrixProducts::Factor factor = products.prepare(grad, shards, 1);
      products.input_gradient(factor, weight, input_gradient);
      products.weight_gradient(factor, products.prepare(x, shards, 0), weight_gradient);
      results.push_back({forward, input_gradient, weight_gradient});
    }
    // The native way rounds each tile's result to bfloat16; a sum over rows is then as exact as its parts are large.
    const double bound = way == Way::native ? 1.0 / 128 : 1e-4;
    for (std::size_t i = 0; i < results[0].size(); ++i) {
      const at::Tensor& expected = results[0][i];
      const bool sum_of_rounded = way == Way::native && i == 2;
      const at::Tensor scale = sum_of_rounded ? expected.abs().max() : expected.abs().clamp_min(1);
      EXPECT_LE(((results[1][i] - expected) / scale).abs().max().item<double>(), bound) << i;
    }
  }
}

/// What a rank computes does not depend on which shards are computed together, nor on its threads.
TEST(MatrixProductsTest, FixedTilesGiveTheSameBitsForShardsTogetherOrAlone) {
  at::manual_seed(5);
  constexpr std::int64_t rows = 500, in = 96, out = 112;
  const std::vector<std::int64_t> offsets{0, 90, 90, 230, 371, rows};
  const at::Tensor weights = at::randn({out * in}, at::kFloat), weight = weights.view({out, in});
  const at::Tensor x = at::randn({rows, in}, at::kFloat), grad = at::randn({rows, out}, at::kFloat);
  for (const auto& [precision, way] : all_ways) {
    MatrixProducts products(weights, precision, way, true);
    at::Tensor forward = at::empty({rows, out}, at::kFloat), input_gradient = at::empty({rows, in}, at::kFloat);
    std::vector<at::Tensor> weight_gradients;
    for (std::size_t shard = 0; shard + 1 < offsets.size(); ++shard) {
      const std::int64_t begin = offsets[shard], count = offsets[shard + 1] - begin, own[] = {0, count};
      const auto factor = products.prepare(grad.narrow(0, begin, count), {own, 1}, 1);
      const auto x_factor = products.prepare(x.narrow(0, begin, count), {own, 1}, 0);
      products.forward(x_factor, weight, forward.narrow(0, begin, count));
      products.input_gradient(factor, weight, input_gradient.narrow(0, begin, count));
      weight_gradients.push_back(at::zeros({out, in}, at::kFloat));
      products.weight_gradient(factor, x_factor, weight_gradients.back());
    }
    const auto& part = weight_gradients;
    const at::Tensor sum = ((part[0] + part[1]) + (part[2] + part[3])) + part[4];
    const int before = at::get_num_threads();
    for (const int threads : {1, 2, 3, 5}) {
      at::set_num_threads(threads);
      const kernels::RowShards shards{offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1};
      const auto factor = products.prepare(grad, shards, 1), x_factor = products.prepare(x, shards, 0);
      at::Tensor together = at::empty_like(forward);
      products.forward(x_factor, weight, together);
      EXPECT_TRUE(together.equal(forward)) << threads;
      together = at::empty_like(input_gradient);
      products.input_gradient(factor, weight, together);
      EXPECT_TRUE(together.equal(input_gradient)) << threads;
      together = at::zeros_like(sum);
      products.weight_gradient(factor, x_factor, together);
      EXPECT_TRUE(together.equal(sum)) << threads;
    }
    at::set_num_threads(before);
  }
}

/// A model's widths, and numbers of rows that the libraries were seen to cut by the number of threads.
TEST(MatrixProductsTest, FixedTilesGiveTheSameBitsForAnyNumberOfThreads) {
  at::manual_seed(6);
  const int before = at::get_num_threads();
  for (const auto& [precision, way] : all_ways) {
    // Without its instructions the library takes minutes for the native way.
    if (way == Way::native && !processor_multiplies_bfloat16()) continue;
    for (const auto& [in, out] : {std::pair{384, 384}, {384, 1152}, {384, 1536}, {1536, 384}}) {
      const at::Tensor weights = at::randn({out * in}, at::kFloat), weight = weights.view({out, in});
      MatrixProducts products(weights, precision, way, true);
      for (const std::int64_t rows : {1, 4, 6, 17, 64, 313}) {
        const at::Tensor x = at::randn({rows, in}, at::kFloat), grad = at::randn({rows, out}, at::kFloat);
        const std::int64_t offsets[] = {0, rows};
        std::vector<at::Tensor> of_one_thread;
        for (const int threads : {1, 2, 3, 4}) {
          at::set_num_threads(threads);
          const auto x_factor = products.prepare(x, {offsets, 1}, 0), factor = products.prepare(grad, {offsets, 1}, 1);
          const std::vector<at::Tensor> results{at::empty({rows, out}, at::kFloat), at::empty({rows, in}, at::kFloat),
                                                at::zeros({out, in}, at::kFloat)};
          products.forward(x_factor, weight, results[0]);
          products.input_gradient(factor, weight, results[1]);
          products.weight_gradient(factor, x_factor, results[2]);
          EXPECT_EQ(at::get_num_threads(), threads) << "as it was before the products";
          if (of_one_thread.empty()) of_one_thread = results;
          for (std::size_t i = 0; i < results.size(); ++i)
            EXPECT_TRUE(results[i].equal(of_one_thread[i]))
                << "product " << i << " of " << rows << " x " << in << " x " << out << ", " << threads << " threads";
        }
      }
    }
  }
  at::set_num_threads(before);
}

}  // namespace
}  // namespace gausscse
