#include "model/kernels/cuda/elementwise.cuh"

#include <limits>

#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

using kernels::Bfloat16;
using kernels::Kernels;
using namespace testing_support;

struct Size {
  std::int64_t rows, width;
};

std::vector<Size> sizes() {
  std::vector<Size> all;
  for (const std::int64_t rows : {0, 1, 63, 64, 65, 200})
    for (const std::int64_t width : {1, 31, 100, 130}) all.push_back({rows, width});
  return all;
}

/// Inputs, each of another magnitude.
template <typename T, typename Factor>
struct Inputs {
  explicit Inputs(const Size& size)
      : x(random_values<Factor>(size.rows * size.width, 1, 4)),
        grad(random_values<Factor>(size.rows * size.width, 2, 0.6)),
        bias(random_values<T>(size.width, 3, 0.5)),
        sum(random_values<T>(size.width, 4, 2)) {}

  /// The numbers of others.
  template <typename OtherT, typename OtherFactor>
  explicit Inputs(const Inputs<OtherT, OtherFactor>& other)
      : x(converted<Factor>(other.x)),
        grad(converted<Factor>(other.grad)),
        bias(converted<T>(other.bias)),
        sum(converted<T>(other.sum)) {}

  std::vector<Factor> x, grad;
  std::vector<T> bias, sum;
};

template <typename T, typename Factor>
struct Outputs {
  std::vector<Factor> gelu, grad, activation;
  std::vector<T> grad_bias, column_sums;
};

/// Returns the three kernels, called as those of a table are.
template <typename T, typename Factor, typename Gelu, typename GeluBackward, typename ColumnSums>
Outputs<T, Factor> outputs(const Size& size, const Inputs<T, Factor>& in, const Gelu& bias_gelu,
                           const GeluBackward& gelu_backward, const ColumnSums& add_column_sums) {
  const OneShard shard(size.rows);
  // What is overwritten is full of something else before.
  const std::vector<Factor> other(in.x.size(), in.x.empty() ? Factor{} : in.x.front());
  Outputs<T, Factor> out{other, in.grad, other, in.sum, in.sum};
  bias_gelu(in.x.data(), in.bias.data(), size.rows, size.width, out.gelu.data());
  gelu_backward(out.grad.data(), in.x.data(), in.bias.data(), shard.rows(), size.width, out.grad_bias.data(),
                out.activation.data());
  add_column_sums(in.grad.data(), shard.rows(), size.width, out.column_sums.data());
  return out;
}

template <typename T, typename Factor>
Outputs<T, Factor> outputs_of_cpu(const Size& size, const Inputs<T, Factor>& in) {
  const Kernels<T, Factor>& table = kernels::kernel_table<T, Factor>();
  const auto on_cpu = [](auto kernel) {
    return [kernel](auto... arguments) { kernel(kernels::on_cpu, arguments...); };
  };
  return outputs(size, in, on_cpu(table.bias_gelu), on_cpu(table.gelu_backward), on_cpu(table.add_column_sums));
}

template <typename T, typename Factor>
Outputs<T, Factor> outputs_of_gpu(const Size& size, const Inputs<T, Factor>& in) {
  GpuOnCpu gpu;
  return outputs(
      size, in, [&](auto... a) { kernels::cuda::bias_gelu<T, Factor>(gpu.context(), a...); },
      [&](auto... a) { kernels::cuda::gelu_backward<T, Factor>(gpu.context(), a...); },
      [&](auto... a) { kernels::cuda::add_column_sums<T, Factor>(gpu.context(), a...); });
}

/// The GPU's kernels in (T, Factor) against the CPU's in (Other, OtherFactor).
template <typename T, typename Factor, typename Other, typename OtherFactor>
void expect_equal() {
  const double tolerance = kernel_tolerance<T, Factor>(), of_sums = sizeof(T) == 4 ? 5e-6 : tolerance;
  for (const Size& size : sizes()) {
    SCOPED_TRACE(std::to_string(size.rows) + " rows of " + std::to_string(size.width));
    const Inputs<T, Factor> in(size);
    const auto expected = outputs_of_cpu(size, Inputs<Other, OtherFactor>(in));
    std::vector<T> first_bias, first_sums;
    for_each_order([&] {
      const auto out = outputs_of_gpu(size, in);
      expect_near(out.gelu, expected.gelu, tolerance, "gelu");
      expect_near(out.grad, expected.grad, tolerance, "gradient");
      expect_near(out.activation, expected.activation, tolerance, "activation");
      expect_near(out.grad_bias, expected.grad_bias, of_sums, "gradient of the bias");
      expect_near(out.column_sums, expected.column_sums, of_sums, "column sums");
      if (first_bias.empty()) {
        first_bias = out.grad_bias;
        first_sums = out.column_sums;
      }
      EXPECT_EQ(out.grad_bias, first_bias);
      EXPECT_EQ(out.column_sums, first_sums);
    });
  }
}

TEST(CudaElementwise, IsThatOfTheCpuInFloat64) {
  expect_equal<double, double, double, double>();
}

TEST(CudaElementwise, InFloat32IsNearFloat64) {
  expect_equal<float, float, double, double>();
}

TEST(CudaElementwise, WithBfloat16FactorsIsThatOfTheCpu) {
  expect_equal<float, Bfloat16, float, Bfloat16>();
}

TEST(CudaElementwise, AddsUpMoreRowsThanBlocksOf64AreAddedUpFrom) {
  // More than 256 blocks of 64 rows: blocks get more rows.
  const Size size{2 * 64 * 256 + 7, 2};
  ASSERT_EQ(kernels::cuda::rows_of_summed_part(size.rows), 3 * 64);
  const Inputs<double, double> in(size);
  const auto expected = outputs_of_cpu(size, in), out = outputs_of_gpu(size, in);
  expect_near(out.grad, expected.grad, 1e-12, "gradient");
  expect_near(out.grad_bias, expected.grad_bias, 1e-12, "gradient of the bias");
  expect_near(out.column_sums, expected.column_sums, 1e-12, "column sums");
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

/// Ties, the numbers next to them, both signs, and what is no ordinary number; then as many others as are wanted.
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
