#include "model/kernels/cuda/pooling.cuh"

#include <limits>

#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

const std::vector<std::vector<std::int32_t>> batches{{3, 1, 5, 2}, {1}, {512, 7}, {40, 2, 2, 2, 9, 1, 17},
                                                     {2, 0, 3, 0}, {0}, {}};
constexpr std::int64_t widths[] = {1, 31, 128, 130};

template <typename T>
std::vector<T> filled(std::int64_t rows, std::int64_t width) {
  return std::vector<T>(static_cast<std::size_t>(rows * width), T{7});
}

/// Calls `test(packed, width)` for batches of sentences.
template <typename Test>
void for_each_batch(const Test& test) {
  for (const auto& lengths : batches)
    for (const std::int64_t width : widths) {
      const PackedSentences packed(lengths);
      SCOPED_TRACE(std::to_string(packed.sentences()) + " sentences, width " + std::to_string(width));
      test(packed, width);
    }
}

template <typename T>
void expect_means() {
  const auto& cpu = kernels::kernel_table<double>();
  for_each_batch([&](const PackedSentences& packed, std::int64_t width) {
    for (const std::int64_t left_out : {0, 1, 2}) {
      SCOPED_TRACE("left out " + std::to_string(left_out));
      const std::int64_t tokens = packed.tokens() * width, sentences = packed.sentences() * width;
      const auto run = [&](auto& arrays, const auto& kernel) {
        kernel(arrays.value("in"), packed.shape(), left_out, width, arrays.value("out"));
      };
      expect_same<T, T, double, double>(ArrayList().value("in", tokens).written("out", sentences), cpu.mean_of_tokens,
                                        kernels::cuda::mean_of_tokens<T>, run);
      expect_same<T, T, double, double>(ArrayList().value("in", sentences, 3).written("out", tokens),
                                        cpu.mean_of_tokens_backward, kernels::cuda::mean_of_tokens_backward<T>, run);
    }
  });
}

TEST(CudaMeanOfTokens, IsThatOfTheCpuInFloat64) {
  expect_means<double>();
  expect_means<float>();
}

TEST(CudaMeanOfTokens, LeavesOutFirstTokens) {
  const PackedSentences packed({3, 1});
  const std::vector<double> x{100, 1, 4, 50}, grad{6, 8};
  std::vector<double> mean(2, 7), grad_x(4, 7);
  GpuOnCpu gpu;
  kernels::cuda::mean_of_tokens<double>(gpu.context(), x.data(), packed.shape(), 1, 1, mean.data());
  kernels::cuda::mean_of_tokens_backward<double>(gpu.context(), grad.data(), packed.shape(), 1, 1, grad_x.data());
  EXPECT_EQ(mean, (std::vector<double>{2.5, 0}));
  EXPECT_EQ(grad_x, (std::vector<double>{0, 3, 3, 0}));
}

/// The same bits as the CPU's: nothing is computed. Few numbers, so that many are equal, and some that are not
/// numbers.
template <typename T>
void expect_maxima() {
  const auto& table = kernels::kernel_table<T>();
  for_each_batch([&](const PackedSentences& packed, std::int64_t width) {
    auto x = random_values<T>(packed.tokens() * width, 3, 3.5);
    for (T& value : x) value = std::round(value);
    for (std::size_t i = 4; i < x.size(); i += 13) x[i] = std::numeric_limits<T>::quiet_NaN();
    for (std::size_t i = 8; i < x.size(); i += 17) x[i] = -std::numeric_limits<T>::infinity();
    const auto grad = random_values<T>(packed.sentences() * width, 4);
    auto expected = filled<T>(packed.sentences(), width), expected_grad = filled<T>(packed.tokens(), width);
    auto expected_token = filled<std::int32_t>(packed.sentences(), width);
    table.max_of_tokens(kernels::on_cpu, x.data(), packed.shape(), width, expected.data(), expected_token.data());
    table.max_of_tokens_backward(kernels::on_cpu, grad.data(), expected_token.data(), packed.shape(), width,
                                 expected_grad.data());
    for_each_order([&] {
      auto out = filled<T>(packed.sentences(), width), grad_x = filled<T>(packed.tokens(), width);
      auto token = filled<std::int32_t>(packed.sentences(), width);
      GpuOnCpu gpu;
      kernels::cuda::max_of_tokens<T>(gpu.context(), x.data(), packed.shape(), width, out.data(), token.data());
      kernels::cuda::max_of_tokens_backward<T>(gpu.context(), grad.data(), token.data(), packed.shape(), width,
                                               grad_x.data());
      for (std::size_t i = 0; i < out.size(); ++i)
        EXPECT_TRUE(out[i] == expected[i] || (std::isnan(out[i]) && std::isnan(expected[i]))) << i;
      EXPECT_EQ(token, expected_token);
      EXPECT_EQ(grad_x, expected_grad);
    });
  });
}

TEST(CudaMaxOfTokens, IsThatOfTheCpuInFloat64) {
  expect_maxima<double>();
}

TEST(CudaMaxOfTokens, IsThatOfTheCpuInFloat32) {
  expect_maxima<float>();
}

TEST(CudaMaxOfTokens, TakesTheFirstOfEqualsAndWhatIsNotANumber) {
  const PackedSentences packed({3, 2});
  const double nan = std::nan("");
  const std::vector<double> x{1, 5, 2, 9, 2, 5, /* second sentence */ -4, nan, -4, 3}, grad{10, 20, 30, 40};
  std::vector<double> out(4, 7), grad_x(10, 7);
  std::vector<std::int32_t> token(4, 7);
  GpuOnCpu gpu;
  kernels::cuda::max_of_tokens<double>(gpu.context(), x.data(), packed.shape(), 2, out.data(), token.data());
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 9);
  EXPECT_EQ(out[2], -4);
  EXPECT_TRUE(std::isnan(out[3]));
  EXPECT_EQ(token, (std::vector<std::int32_t>{1, 1, 3, 3}));
  kernels::cuda::max_of_tokens_backward<double>(gpu.context(), grad.data(), token.data(), packed.shape(), 2,
                                                grad_x.data());
  EXPECT_EQ(grad_x, (std::vector<double>{0, 0, 10, 20, 0, 0, 30, 40, 0, 0}));
}

TEST(CudaMaxOfTokens, IsZeroWithoutTokens) {
  const PackedSentences packed({0, 1, 0});
  const std::vector<double> x{-5, 3}, grad{10, 20, 30, 40, 50, 60};
  std::vector<double> out(6, 7), grad_x(2, 7);
  std::vector<std::int32_t> token(6, 7);
  GpuOnCpu gpu;
  kernels::cuda::max_of_tokens<double>(gpu.context(), x.data(), packed.shape(), 2, out.data(), token.data());
  EXPECT_EQ(out, (std::vector<double>{0, 0, -5, 3, 0, 0}));
  EXPECT_EQ(token, (std::vector<std::int32_t>{-1, -1, 0, 0, -1, -1}));
  kernels::cuda::max_of_tokens_backward<double>(gpu.context(), grad.data(), token.data(), packed.shape(), 2,
                                                grad_x.data());
  EXPECT_EQ(grad_x, (std::vector<double>{30, 40}));
}

}  // namespace
}  // namespace gausscse
