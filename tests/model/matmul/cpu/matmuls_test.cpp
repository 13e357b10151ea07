#include "model/matmul/cpu/matmuls.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/native/CPUBlas.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "model/kernels/block_layouts.hpp"
#include "model/matmul/cpu/bfloat16_instructions.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Way = CpuMatmuls::Bfloat16Way;

struct WayOfMatmul {
  const char* name;
  Precision precision;
  Way way;
};

class MatmulsTest : public testing::TestWithParam<WayOfMatmul> {
 protected:
  void SetUp() override {
    if (GetParam().way == Way::native && bfloat16_instructions() == Bfloat16Instructions::none)
      GTEST_SKIP() << "needs a processor with instructions for bfloat16";
    at::manual_seed(3);
  }
  CpuMatmuls products(const at::Tensor& weights, bool fixed_tiles = false) {
    return CpuMatmuls(weights, GetParam().precision, GetParam().way, fixed_tiles);
  }
  /// Returns the factor as it is multiplied, in float64.
  at::Tensor factor(const at::Tensor& x) {
    return (GetParam().precision == Precision::full ? x : x.to(at::kBFloat16)).to(at::kDouble);
  }
};

INSTANTIATE_TEST_SUITE_P(Ways, MatmulsTest,
                         testing::Values(WayOfMatmul{"full", Precision::full, Way::fastest},
                                         WayOfMatmul{"rounded", Precision::bfloat16, Way::rounded},
                                         WayOfMatmul{"native", Precision::bfloat16, Way::native}),
                         [](const auto& way) { return way.param.name; });

void expect_near(const at::Tensor& here, const at::Tensor& expected, double bound) {
  ASSERT_EQ(here.sizes(), expected.sizes());
  EXPECT_LE(((here.to(at::kDouble) - expected) / expected.abs().clamp_min(1)).abs().max().item<double>(), bound);
}

/// Returns a bound on the error of a float32 sum of as many products of normal numbers.
double bound_of_sum(std::int64_t terms) {
  return 1e-7 * static_cast<double>(terms + 10);
}

/// Shapes that fill blocks, and shapes that leave a rest each way; factors whose rows have gaps.
TEST_P(MatmulsTest, AreThoseOfFloat64) {
  for (const auto& [rows, in, out] : {std::tuple{5, 8, 6}, {1, 7, 3}, {64, 64, 64}, {65, 33, 130}, {1300, 96, 200}}) {
    const at::Tensor weights = at::randn({out * in}, at::kFloat), weight = weights.view({out, in});
    const at::Tensor x = at::randn({rows, in + 2}, at::kFloat).narrow(1, 1, in), bias = at::randn({out}, at::kFloat);
    const at::Tensor wide_grad = at::randn({rows, 3 * out}, at::kFloat).to(at::kBFloat16);
    const bool native = GetParam().way == Way::native;
    const at::Tensor grad = (native ? wide_grad : wide_grad.to(at::kFloat)).narrow(1, out, out);
    const std::int64_t offsets[] = {0, rows};
    CpuMatmuls products = this->products(weights);
    const auto x_factor = products.prepare(x, {offsets, 1}, 0), grad_factor = products.prepare(grad, {offsets, 1}, 1);
    const at::Tensor forward = at::empty({rows, out}, at::kFloat), input_gradient = at::empty({rows, in}, at::kFloat);
    const at::Tensor weight_gradient = at::ones({out, in}, at::kFloat);
    products.forward(x_factor, weight, forward, bias);
    products.input_gradient(grad_factor, weight, input_gradient);
    products.weight_gradient(grad_factor, x_factor, weight_gradient);
    const at::Tensor expected = at::mm(factor(x), factor(weight).t()) + bias.to(at::kDouble);
    expect_near(forward, expected, bound_of_sum(in));
    expect_near(input_gradient, at::mm(grad.to(at::kDouble), factor(weight)), bound_of_sum(out));
    expect_near(weight_gradient, at::mm(grad.to(at::kDouble).t(), factor(x)) + 1, bound_of_sum(rows));
    if (GetParam().precision == Precision::bfloat16) {
      const at::Tensor of_not_rounded = at::mm(x, weight.t()) + bias;
      EXPECT_GT((forward - of_not_rounded).abs().max().item<double>(), 1e-4);
    }

    const at::Tensor product = at::empty({rows, out}, products.product_type()), activation = at::empty_like(product);
    products.forward_with_gelu(x_factor, weight, bias, product, activation);
    expect_near(product, expected - bias.to(at::kDouble), native ? 1.0 / 256 : 1e-5);
    expect_near(activation, at::gelu(product.to(at::kDouble) + bias.to(at::kDouble)), native ? 1.0 / 256 : 1e-5);
  }
}

TEST_P(MatmulsTest, FollowTheParameters) {
  const at::Tensor weights = at::randn({6 * 8}, at::kFloat), weight = weights.view({6, 8});
  const at::Tensor x = at::randn({5, 8}, at::kFloat), grad = at::randn({5, 6}, at::kFloat);
  const std::int64_t offsets[] = {0, 5};
  CpuMatmuls products = this->products(weights);
  for (int change = 0; change < 2; ++change) {
    const at::Tensor forward = at::empty({5, 6}, at::kFloat), input_gradient = at::empty({5, 8}, at::kFloat);
    // Float32 keeps a weight's panels from the second use on.
    for (int use = 0; use < 3; ++use) {
      products.forward(products.prepare(x, {offsets, 1}, 0), weight, forward);
      products.input_gradient(products.prepare(grad, {offsets, 1}, 1), weight, input_gradient);
      expect_near(forward, at::mm(factor(x), factor(weight).t()), 1e-5);
      expect_near(input_gradient, at::mm(factor(grad), factor(weight)), 1e-5);
    }
    weights.mul_(-3);
    products.parameters_changed();
  }
}

/// The bits of a row depend neither on the rows that are computed with it, nor on threads, nor on how often the weight
/// was used.
TEST_P(MatmulsTest, RowsHaveTheSameBitsAloneAndTogether) {
  constexpr std::int64_t rows = 300, in = 100, out = 140;
  const at::Tensor weights = at::randn({out * in}, at::kFloat), weight = weights.view({out, in});
  const at::Tensor x = at::randn({rows, in}, at::kFloat), grad = at::randn({rows, out}, at::kFloat);
  const at::Tensor bias = at::randn({out}, at::kFloat);
  std::vector<at::Tensor> expected;
  const int before = at::get_num_threads();
  for (const std::int64_t count : {5, 299, 300})
    for (const int threads : {1, 3}) {
      at::set_num_threads(threads);
      CpuMatmuls products = this->products(weights);
      const at::ScalarType type = products.product_type();
      const std::vector<at::Tensor> results{at::empty({rows, out}, at::kFloat), at::empty({rows, out}, type),
                                            at::empty({rows, out}, type), at::empty({rows, in}, at::kFloat)};
      for (std::int64_t begin = 0; begin < rows; begin += count) {
        const std::int64_t size = std::min(count, rows - begin), offsets[] = {0, size};
        const auto part = [&](std::size_t i) { return results[i].narrow(0, begin, size); };
        const auto x_factor = products.prepare(x.narrow(0, begin, size), {offsets, 1}, 0);
        products.forward(x_factor, weight, part(0), bias);
        products.forward_with_gelu(x_factor, weight, bias, part(1), part(2));
        products.input_gradient(products.prepare(grad.narrow(0, begin, size), {offsets, 1}, 1), weight, part(3));
      }
      if (expected.empty()) expected = results;
      for (std::size_t i = 0; i < results.size(); ++i)
        EXPECT_TRUE(results[i].equal(expected[i])) << "product " << i << ", " << count << " rows, " << threads;
    }
  at::set_num_threads(before);
}

/// Several tiles each way, the last ones cut short, and shards, one of them empty.
TEST_P(MatmulsTest, FixedTilesCoverTheProducts) {
  constexpr std::int64_t rows = 2100, in = 800, out = 1600;
  const std::vector<std::int64_t> offsets{0, 700, 700, 2000, rows};
  const kernels::RowShards shards{offsets.data(), 4};
  const at::Tensor weights = at::randn({out * in}, at::kFloat), weight = weights.view({out, in});
  const at::Tensor x = at::randn({rows, in}, at::kFloat), grad = at::randn({rows, out}, at::kFloat);
  std::vector<std::vector<at::Tensor>> results;
  for (const bool fixed_tiles : {false, true}) {
    CpuMatmuls products = this->products(weights, fixed_tiles);
    const at::Tensor forward = at::empty({rows, out}, at::kFloat), input_gradient = at::empty({rows, in}, at::kFloat);
    const at::Tensor weight_gradient = at::ones({out, in}, at::kFloat);
    products.forward(products.prepare(x, shards, 0), weight, forward, at::ones({out}, at::kFloat));
    const CpuMatmuls::Factor factor = products.prepare(grad, shards, 1);
    products.input_gradient(factor, weight, input_gradient);
    products.weight_gradient(factor, products.prepare(x, shards, 0), weight_gradient);
    results.push_back({forward, input_gradient, weight_gradient});
  }
  for (std::size_t i = 0; i < results[0].size(); ++i) expect_near(results[1][i], results[0][i].to(at::kDouble), 1e-4);
}

/// The bits of a rank depend neither on the shards that are computed together nor on its threads.
TEST_P(MatmulsTest, FixedTilesGiveTheSameBitsForShardsTogetherOrAlone) {
  constexpr std::int64_t rows = 500, in = 96, out = 112;
  const std::vector<std::int64_t> offsets{0, 90, 90, 230, 371, rows};
  const at::Tensor weights = at::randn({out * in}, at::kFloat), weight = weights.view({out, in});
  const at::Tensor x = at::randn({rows, in}, at::kFloat), grad = at::randn({rows, out}, at::kFloat);
  CpuMatmuls products = this->products(weights, true);
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

/// A model's widths, and numbers of rows that the libraries were seen to cut by the number of threads.
TEST_P(MatmulsTest, FixedTilesGiveTheSameBitsForAnyNumberOfThreads) {
  const int before = at::get_num_threads();
  for (const auto& [in, out] : {std::pair{384, 384}, {384, 1152}, {384, 1536}, {1536, 384}}) {
    const at::Tensor weights = at::randn({out * in}, at::kFloat), weight = weights.view({out, in});
    CpuMatmuls products = this->products(weights, true);
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
  at::set_num_threads(before);
}

/// Each number of rows that a tile can leave, and some of columns; values that are not asked for stay as they are.
TEST(BlockKernel, MultipliesWithTheBitsOfTheLibrarys) {
  const auto multiply = kernels::block_layouts().multiply;
  if (!multiply) GTEST_SKIP() << "needs a processor with instructions for bfloat16";
  constexpr std::int64_t stride = kernels::block_size + 3;
  at::manual_seed(5);
  for (const std::int64_t depth : {32, 1024})
    for (const std::int64_t columns : {1, 31, 46, 64})
      for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 7, 64})
        for (const bool accumulate : {false, true}) {
          const at::Tensor left = at::randn({rows, depth + 2}).to(at::kBFloat16).narrow(1, 0, depth);
          const at::Tensor right = at::randn({depth, kernels::block_size}).to(at::kBFloat16);
          const at::Tensor panel = right.view({depth / 2, 2, kernels::block_size}).transpose(1, 2).contiguous();
          const at::Tensor before = at::randn({rows, stride}), here = before.clone(), librarys = before.clone();
          const auto* left_data = left.const_data_ptr<at::BFloat16>();
          const auto* panel_data = panel.const_data_ptr<at::BFloat16>();
          multiply({.left = reinterpret_cast<const kernels::Bfloat16*>(left_data),
                    .left_stride = left.stride(0),
                    .rows = rows,
                    .depth = depth,
                    .panel = reinterpret_cast<const kernels::Bfloat16*>(panel_data),
                    .columns = columns,
                    .out = here.mutable_data_ptr<float>(),
                    .out_stride = stride,
                    .accumulate = accumulate});
          const at::Tensor product = at::mm(left.to(at::kDouble), right.to(at::kDouble)).narrow(1, 0, columns);
          const at::Tensor added = before.narrow(1, 0, columns).to(at::kDouble) * (accumulate ? 1 : 0);
          expect_near(here.narrow(1, 0, columns), product + added, bound_of_sum(depth));
          EXPECT_TRUE(here.narrow(1, columns, stride - columns).equal(before.narrow(1, columns, stride - columns)));
          // The library makes a kernel for each shape, which takes long.
          if (rows < 7 || columns % 2 || bfloat16_instructions() != Bfloat16Instructions::avx512_bf16) continue;
          at::native::cpublas::brgemm(rows, columns, depth, left.stride(0), kernels::block_size, stride, accumulate,
                                      left_data, panel_data, librarys.mutable_data_ptr<float>());
          EXPECT_TRUE(here.equal(librarys)) << rows << " x " << depth << " x " << columns << ' ' << accumulate;
        }
}

}  // namespace
}  // namespace gausscse
