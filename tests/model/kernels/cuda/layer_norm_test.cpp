#include "model/kernels/cuda/layer_norm.cuh"

#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

/// One layer norm: which of its inputs there are, and its size.
struct Case {
  std::vector<std::int32_t> lengths;
  std::int64_t hidden;
  bool has_x, has_residual, keeps, has_factor, has_addend;
  double dropout, output_dropout;
  /// The sum is written, and the backward is that with its gradient; there are no gradients of beta and bias.
  bool of_sum = false;
};

const Case cases[] = {
    {{3, 1, 5}, 40, true, true, true, true, true, 0.25, 0.1},
    {{3, 1, 5}, 40, true, true, true, false, false, 0, 0},
    {{2}, 130, true, false, true, true, true, 0.5, 0},
    {{70}, 64, false, true, true, true, true, 0, 0.5},
    {{30, 40}, 70, true, true, false, true, false, 0.1, 0},
    {{1}, 1, true, true, true, true, false, 0, 0},
    {{}, 40, true, true, true, true, true, 0.1, 0.1},
    // More counters of dropout than a block has threads.
    {{2, 1}, 530, true, true, true, true, true, 0.25, 0.1},
    // Rows in registers: of one to four chunks, the last of which is whole or not; and the first that are too wide.
    {{4, 1}, 8, true, true, true, true, true, 0.25, 0.1},
    {{2, 3}, 256, true, true, true, true, true, 0.25, 0.1},
    {{3}, 264, true, true, true, false, true, 0.25, 0.1},
    {{1, 5}, 384, true, true, true, true, true, 0.1, 0.5},
    {{2}, 768, true, true, true, true, false, 0.1, 0},
    {{2}, 912, false, true, true, true, true, 0, 0.1},
    {{1, 1}, 1024, true, false, false, true, true, 0.1, 0.3},
    {{2}, 1032, true, true, true, true, true, 0.25, 0.1},
    {{3, 1}, 384, true, true, true, true, true, 0.25, 0, true},
    {{2}, 70, true, true, true, false, true, 0.1, 0, true},
    {{1, 5}, 384, true, true, true, true, true, 0, 0, true},
};

DropoutSite site(std::uint32_t number, double probability) {
  return DropoutSite::of(DropoutStep::of(5, 6), number, probability);
}

template <typename T, typename Factor, typename Other, typename OtherFactor>
void expect_forward(const Case& c) {
  const PackedSentences packed(c.lengths);
  const std::int64_t rows = packed.tokens(), count = rows * c.hidden;
  ArrayList arrays;
  arrays.value("gamma", c.hidden, 1.5).value("beta", c.hidden, 0.7).written("out", count);
  if (c.has_x) arrays.factor("x", count).value("bias", c.hidden, 0.5);
  if (c.has_residual) arrays.value("residual", count, 2);
  if (c.has_factor) arrays.written_factor("factor", count);
  if (c.of_sum) arrays.written("sum", count);
  if (c.keeps) arrays.written("normalized", count).written("inverse deviation", rows);
  expect_same<T, Factor, Other, OtherFactor>(
      arrays, kernels::kernel_table<Other, OtherFactor>().add_layer_norm, kernels::cuda::add_layer_norm<T, Factor>,
      [&](auto& a, const auto& kernel) {
        kernel(a.factor("x"), a.value("bias"), a.value("residual"), a.value("gamma"), a.value("beta"), 1e-5,
               site(1, c.dropout), site(2, c.output_dropout), packed.rows(), rows, c.hidden, a.value("out"),
               a.factor("factor"), a.value("sum"), a.value("normalized"), a.value("inverse deviation"));
      },
      4e-6);
}

/// With any numbers for the values that the forward keeps.
template <typename T, typename Factor, typename Other, typename OtherFactor>
void expect_backward(const Case& c) {
  const PackedSentences packed(c.lengths);
  const std::int64_t rows = packed.tokens(), count = rows * c.hidden;
  const OneShard shard(rows);
  ArrayList arrays;
  arrays.value("normalized", count, 2).value("inverse deviation", rows).value("gamma", c.hidden, 1.5);
  arrays.written("gradient of gamma", c.hidden);
  if (!c.of_sum) arrays.written("gradient of beta", c.hidden);
  if (c.has_addend) arrays.factor("addend", count, 0.3);
  if (c.has_x)
    arrays.value("gradient", count).written("gradient of the residual", count).written_factor("gradient of x", count);
  else
    arrays.written("gradient", count);
  if (c.has_x && !c.of_sum) arrays.written("gradient of the bias", c.hidden);
  expect_same<T, Factor, Other, OtherFactor>(
      arrays, kernels::kernel_table<Other, OtherFactor>().add_layer_norm_backward,
      kernels::cuda::add_layer_norm_backward<T, Factor>,
      [&](auto& a, const auto& kernel) {
        kernel(a.value("gradient"), a.factor("addend"), c.of_sum, a.value("normalized"), a.value("inverse deviation"),
               a.value("gamma"), site(1, c.dropout), site(2, c.output_dropout), packed.rows(), shard.rows(), c.hidden,
               a.value(c.has_x ? "gradient of the residual" : "gradient"), a.factor("gradient of x"),
               a.value("gradient of gamma"), a.value("gradient of beta"), a.value("gradient of the bias"));
      },
      4e-6);
}

TEST(CudaLayerNorm, IsThatOfTheCpu) {
  for_each_type([]<typename T, typename Factor, typename Other, typename OtherFactor>() {
    for (const Case& c : cases) {
      SCOPED_TRACE("hidden " + std::to_string(c.hidden));
      expect_forward<T, Factor, Other, OtherFactor>(c);
      expect_backward<T, Factor, Other, OtherFactor>(c);
    }
  });
}

TEST(CudaLayerNorm, GradientsOfManyRowsAreThoseOfTheCpu) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  GTEST_SKIP() << "takes a minute under AddressSanitizer";
#endif
  // More rows than 1024 parts of 8: parts are larger then.
  expect_backward<double, double, double, double>({{8300}, 3, true, true, true, false, false, 0, 0});
  // And of rows in registers than 396 parts of 4.
  expect_backward<double, double, double, double>({{1590}, 8, true, true, true, false, false, 0.1, 0});
}

TEST(CudaLayerNorm, RowsAtAnyAddressAreTheSame) {
  // Without 16 bytes' alignment a block works on a row, not a warp. Masks are the same.
  const std::int64_t rows = 3, hidden = 72;
  const PackedSentences packed({2, 1});
  const std::vector<double> x = random_values<double>(rows * hidden, 1), bias = random_values<double>(hidden, 2);
  const std::vector<double> gamma = random_values<double>(hidden, 3), beta = random_values<double>(hidden, 4);
  const auto normed = [&](std::size_t moved) {
    std::vector<double> moved_x(moved), out(static_cast<std::size_t>(rows * hidden));
    moved_x.insert(moved_x.end(), x.begin(), x.end());
    GpuOnCpu gpu;
    kernels::cuda::add_layer_norm<double, double>(
        gpu.context(), moved_x.data() + moved, bias.data(), nullptr, gamma.data(), beta.data(), 1e-5, site(1, 0.5),
        site(2, 0.25), packed.rows(), rows, hidden, out.data(), nullptr, nullptr, nullptr, nullptr);
    return out;
  };
  const std::vector<double> aligned = normed(0), other = normed(1);
  expect_near(other, aligned, 1e-12, "out");
  EXPECT_NE(std::count(aligned.begin(), aligned.end(), 0.0), 0);
}

TEST(CudaLayerNorm, DropsWhatIsNotANumber) {
  // As on the CPU, a dropped element is 0, also where it was not finite.
  for (const std::size_t hidden : {64u, 65u}) {
    const std::vector<double> x(hidden, std::nan("")), zero(hidden), one(hidden, 1.0);
    std::vector<double> residual = random_values<double>(static_cast<std::int64_t>(hidden), 1), out(hidden);
    const DropoutSite all{{1, 2}, 3, 0xFFFFFFFF, 2.0};
    const std::uint32_t word = 0;
    GpuOnCpu gpu;
    kernels::cuda::add_layer_norm<double, double>(
        gpu.context(), x.data(), zero.data(), residual.data(), one.data(), zero.data(), 1e-5, all, {}, {&word, &word},
        1, static_cast<std::int64_t>(hidden), out.data(), nullptr, nullptr, nullptr, nullptr);
    for (const double value : out) EXPECT_TRUE(std::isfinite(value));
  }
}

}  // namespace
}  // namespace gausscse
