#include "model/kernels/cuda/elementwise.cuh"

#include <limits>

#include "model/kernels/cuda/gelu.cuh"
#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

using kernels::Bfloat16;
/// The three kernels over a matrix of this size.
template <typename T, typename Factor, typename Other, typename OtherFactor>
void expect_as_on_cpu(std::int64_t rows, std::int64_t width) {
  SCOPED_TRACE(std::to_string(rows) + " rows of " + std::to_string(width));
  const auto& cpu = kernels::kernel_table<Other, OtherFactor>();
  const std::int64_t count = rows * width;
  const OneShard shard(rows);
  expect_same<T, Factor, Other, OtherFactor>(
      ArrayList().factor("x", count, 4).value("bias", width, 0.5).written_factor("out", count), cpu.bias_gelu,
      kernels::cuda::bias_gelu<T, Factor>, [&](auto& arrays, const auto& kernel) {
        kernel(arrays.factor("x"), arrays.value("bias"), rows, width, arrays.factor("out"));
      });
  expect_same<T, Factor, Other, OtherFactor>(
      ArrayList()
          .factor("x", count, 4)
          .value("bias", width, 0.5)
          .written_factor("gradient", count, 0.6)
          .written("gradient of the bias", width, 2)
          .written_factor("activation", count),
      cpu.gelu_backward, kernels::cuda::gelu_backward<T, Factor>,
      [&](auto& arrays, const auto& kernel) {
        kernel(arrays.factor("gradient"), arrays.factor("x"), arrays.value("bias"), shard.rows(), width,
               arrays.value("gradient of the bias"), arrays.factor("activation"));
      },
      5e-6);
  expect_same<T, Factor, Other, OtherFactor>(
      ArrayList().factor("x", count, 0.6).written("column sums", width, 2), cpu.add_column_sums,
      kernels::cuda::add_column_sums<T, Factor>,
      [&](auto& arrays, const auto& kernel) {
        kernel(arrays.factor("x"), shard.rows(), width, arrays.value("column sums"));
      },
      5e-6);
}

TEST(CudaElementwise, IsThatOfTheCpu) {
  for_each_type([]<typename T, typename Factor, typename Other, typename OtherFactor>() {
    for (const std::int64_t rows : {0, 1, 63, 64, 65, 200})
      for (const std::int64_t width : {1, 31, 104, 130, 264})
        expect_as_on_cpu<T, Factor, Other, OtherFactor>(rows, width);
  });
}

TEST(CudaElementwise, AddsUpMoreRowsThanBlocksOf64AreAddedUpFrom) {
  // More than 256 blocks of 64 rows: blocks get more rows.
  constexpr std::int64_t rows = 2 * 64 * 256 + 7;
  ASSERT_EQ(kernels::cuda::rows_of_summed_part(rows), 3 * 64);
  expect_as_on_cpu<double, double, double, double>(rows, 2);
}

TEST(CudaElementwise, AddsTheGradientOfTheBiasBeforeItIsRounded) {
  // gelu'(1) lies well between two numbers of bfloat16.
  const std::int64_t rows = 3, width = 1;
  std::vector<Bfloat16> x(3), grad(3), activation(3);
  for (Bfloat16& value : x) put_as(1, value);
  for (Bfloat16& value : grad) put_as(1, value);
  const float bias = 0;
  float grad_bias = 0;
  const OneShard shard(rows);
  GpuOnCpu gpu;
  kernels::cuda::gelu_backward<float, Bfloat16>(gpu.context(), grad.data(), x.data(), &bias, shard.rows(), width,
                                                &grad_bias, activation.data());
  const double derivative = 1.0833154705876863;
  EXPECT_NEAR(grad_bias, 3 * derivative, 1e-6);
  EXPECT_GT(std::abs(as_double(grad[0]) - derivative), 1e-4);
}

TEST(CudaElementwise, GeluInFloat32IsThatOfFloat64) {
  // In float32 by a formula of its own: in steps of 1/128 from -8 to 8. Rounding of the result is relative to it.
  const std::int64_t count = 2049;
  std::vector<float> x(count), out(count), grad(count, 1), activation(count), zero(count), grad_bias(count);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) / 128 - 8;
  const OneShard shard(1);
  GpuOnCpu gpu;
  kernels::cuda::bias_gelu<float, float>(gpu.context(), x.data(), zero.data(), 1, count, out.data());
  kernels::cuda::gelu_backward<float, float>(gpu.context(), grad.data(), x.data(), zero.data(), shard.rows(), count,
                                             grad_bias.data(), activation.data());
  EXPECT_EQ(activation, out);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto value = static_cast<double>(x[i]);
    const double distribution = 0.5 * std::erfc(-value / std::sqrt(2.0));
    const double density = std::exp(-0.5 * value * value) / std::sqrt(2 * std::acos(-1.0));
    ASSERT_NEAR(out[i], value * distribution, 2e-7 + 1e-7 * std::abs(value)) << value;
    ASSERT_NEAR(grad[i], distribution + value * density, 3e-7) << value;
  }
}

/// gelu and its derivative where they are known, and where nothing is.
template <typename T>
void expect_limits() {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const std::vector<T> x{30, -30, 0, nan, 0, -0.0, 1000, -1000}, bias{0, 0, 0, 0, nan, 0, 0, 0};
  const std::vector<double> value{30, 0, 0, 0, 0, 0, 1000, 0}, derivative{1, 0, 0.5, 0, 0, 0.5, 1, 0};
  const auto count = static_cast<std::int64_t>(x.size());
  for_each_order([&] {
    std::vector<T> out(x.size(), 7), grad(x.size(), 3), grad_bias(x.size(), 10), activation(x.size(), 7);
    const OneShard shard(1);
    GpuOnCpu gpu;
    kernels::cuda::bias_gelu<T, T>(gpu.context(), x.data(), bias.data(), 1, count, out.data());
    kernels::cuda::gelu_backward<T, T>(gpu.context(), grad.data(), x.data(), bias.data(), shard.rows(), count,
                                       grad_bias.data(), activation.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i] + bias[i])) {
        EXPECT_TRUE(std::isnan(out[i]) && std::isnan(activation[i]) && std::isnan(grad[i]) && std::isnan(grad_bias[i]));
        continue;
      }
      EXPECT_NEAR(as_double(out[i]), value[i], 1e-12) << i;
      EXPECT_NEAR(as_double(activation[i]), value[i], 1e-12) << i;
      EXPECT_NEAR(as_double(grad[i]), 3 * derivative[i], 1e-12) << i;
      EXPECT_NEAR(as_double(grad_bias[i]), 10 + 3 * derivative[i], 1e-12) << i;
    }
  });
}

TEST(CudaElementwise, GeluOfExtremesIsTheirLimit) {
  expect_limits<float>();
  expect_limits<double>();
}

float of_bits(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Ties, the numbers next to them, both signs, and values that are no ordinary numbers; then as many others as are
/// wanted.
std::vector<float> numbers_to_round(std::int64_t count) {
  std::vector<float> all;
  for (const std::uint32_t sign : {0u, 0x80000000u})
    for (const std::uint32_t upper : {0x0000u, 0x0001u, 0x3F80u, 0x3F81u, 0x7F7Eu, 0x7F7Fu, 0x7F80u, 0x7FC1u})
      for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
        all.push_back(of_bits(sign | upper << 16 | lower));
  const std::vector<float> others = random_values<float>(count, 5, 100);
  all.insert(all.end(), others.begin(), others.end());
  all.resize(static_cast<std::size_t>(count));
  return all;
}

template <typename T>
void expect_rounded() {
  for (const std::int64_t count : {0, 1, 96, 1023, 1024, 1025, 2500}) {
    const std::vector<float> numbers = numbers_to_round(count);
    const std::vector<T> x(numbers.begin(), numbers.end());
    std::vector<T> expected(x.size(), 7);
    kernels::kernel_table<T>().round_to_bfloat16(kernels::on_cpu, x.data(), count, expected.data());
    for_each_order([&] {
      std::vector<T> out(x.size(), 7);
      GpuOnCpu gpu;
      kernels::cuda::round_to_bfloat16<T>(gpu.context(), x.data(), count, out.data());
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i]))
          EXPECT_TRUE(std::isnan(out[i])) << i;
        else
          EXPECT_EQ(out[i], expected[i]) << i;
        EXPECT_EQ(std::signbit(out[i]), std::signbit(x[i])) << i;
      }
    });
  }
}

TEST(CudaElementwise, RoundsToBfloat16AsTheCpu) {
  expect_rounded<float>();
  expect_rounded<double>();
}

TEST(CudaElementwise, RoundsTiesToEven) {
  const std::vector<float> x{128.5f, 128.25f, 129.5f, 130.5f, std::numeric_limits<float>::max()};
  std::vector<float> out(x.size());
  GpuOnCpu gpu;
  kernels::cuda::round_to_bfloat16<float>(gpu.context(), x.data(), 5, out.data());
  EXPECT_EQ(out, (std::vector<float>{128, 128, 130, 130, std::numeric_limits<float>::infinity()}));
}

}  // namespace
}  // namespace gausscse
