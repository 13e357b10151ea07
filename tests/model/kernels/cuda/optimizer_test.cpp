#include "model/kernels/cuda/optimizer.cuh"

#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

using kernels::AdamWStep;
/// Values with moments of earlier steps.
template <typename T>
struct State {
  explicit State(std::int64_t count)
      : value(random_values<T>(count, 1, 2)), moment1(random_values<T>(count, 2, 0.1)), moment2(moment1) {
    // Some have never had a gradient.
    for (std::size_t i = 0; i < value.size(); i += 3) moment1[i] = 0;
    for (std::size_t i = 0; i < value.size(); ++i) moment2[i] = moment1[i] * moment1[i] * 2;
  }
  template <typename Other>
  explicit State(const State<Other>& other)
      : value(converted<T>(other.value)), moment1(converted<T>(other.moment1)), moment2(converted<T>(other.moment2)) {}

  std::vector<T> value, moment1, moment2;
};

std::vector<double> gradient_of_step(std::int64_t count, int step) {
  auto gradient = converted<double>(random_values<float>(count, 10 + static_cast<std::uint64_t>(step), 0.3));
  for (std::size_t i = 0; i < gradient.size(); i += 5) gradient[i] = 0;
  return gradient;
}

/// Step `number`, the first being 1.
AdamWStep step_of(int number, double weight_decay, double clip_norm, const double* squared_norm) {
  const double beta1 = 0.85, beta2 = 0.97;
  const double correction1 = 1 - std::pow(beta1, number), correction2 = 1 - std::pow(beta2, number);
  return {0.01, weight_decay, beta1, beta2, 1e-8, correction1, correction2, clip_norm, squared_norm};
}

using Bounds = std::vector<std::int64_t>;

kernels::DecayingRuns runs_of(const Bounds& bounds) {
  return {bounds.data(), static_cast<std::int64_t>(bounds.size()) / 2};
}

/// Steps of the GPU's kernel in T against the CPU's in float64. `norm_of_step` is that of the gradients of each step.
template <typename T>
void expect_steps(double weight_decay, double clip_norm, const std::vector<double>& norm_of_step) {
  SCOPED_TRACE("decay " + std::to_string(weight_decay) + ", clip norm " + std::to_string(clip_norm));
  for (const std::int64_t count : {0, 1, 255, 1023, 1024, 1025, 3000}) {
    SCOPED_TRACE(count);
    const Bounds bounds{count / 4, count / 2, count / 2 + count / 3, count};
    for_each_order([&] {
      State<T> here(count);
      State<double> there(here);
      const auto at_rest = std::make_unique<bool[]>(static_cast<std::size_t>(count) / kernels::adamw_block + 1);
      for (std::size_t number = 1; number <= norm_of_step.size(); ++number) {
        const double squared_norm = norm_of_step[number - 1] * norm_of_step[number - 1];
        const AdamWStep step =
            step_of(static_cast<int>(number), weight_decay, clip_norm, clip_norm > 0 ? &squared_norm : nullptr);
        const auto gradient = gradient_of_step(count, static_cast<int>(number));
        const auto gradient_here = converted<T>(gradient);
        GpuOnCpu gpu;
        kernels::cuda::adamw<T>(gpu.context(),
                                {here.value.data(), gradient_here.data(), here.moment1.data(), here.moment2.data(),
                                 nullptr, count, runs_of(bounds)},
                                step);
        kernels::kernel_table<double>().adamw(kernels::on_cpu,
                                              {there.value.data(), gradient.data(), there.moment1.data(),
                                               there.moment2.data(), at_rest.get(), count, runs_of(bounds)},
                                              step);
      }
      expect_near(here.value, there.value, kernel_tolerance<T, T>(), "value");
      expect_near(here.moment1, there.moment1, kernel_tolerance<T, T>(), "first moment");
      expect_near(here.moment2, there.moment2, kernel_tolerance<T, T>(), "second moment");
    });
  }
}

template <typename T>
void expect_all_steps() {
  for (const double weight_decay : {0.0, 0.2}) {
    expect_steps<T>(weight_decay, 0, {5, 5, 5});
    // Clipped, not clipped, at the limit, and without any gradient.
    expect_steps<T>(weight_decay, 0.5, {8, 0.25, 0.5, 0, 3});
  }
}

TEST(CudaAdamW, IsThatOfTheCpuInFloat64) {
  expect_all_steps<double>();
}

TEST(CudaAdamW, InFloat32IsNearFloat64) {
  expect_all_steps<float>();
}

/// Returns the nearest number of eight significant bits, ties to even.
double nearest_of_8_bits(double x) {
  int exponent;
  const double mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(mantissa * 256), exponent - 8);
}

TEST(CudaAdamW, WritesRoundedValuesAndTheSameBitsAtAnyAddress) {
  constexpr std::int64_t count = 1027;
  const AdamWStep step = step_of(1, 0.2, 0, nullptr);
  const Bounds bounds{5, 600};
  std::vector<float> first;
  for (const std::int64_t moved : {0, 1}) {
    State<float> state(count + moved);
    const std::vector<float> values = random_values<float>(count, 1), gradient = random_values<float>(count, 2);
    std::copy(values.begin(), values.end(), state.value.begin() + moved);
    std::fill(state.moment1.begin(), state.moment1.end(), 0.0f);
    std::fill(state.moment2.begin(), state.moment2.end(), 0.0f);
    std::vector<kernels::Bfloat16> rounded(count);
    GpuOnCpu gpu;
    kernels::cuda::adamw<float>(gpu.context(),
                                {state.value.data() + moved, gradient.data(), state.moment1.data() + moved,
                                 state.moment2.data() + moved, nullptr, count, runs_of(bounds), rounded.data()},
                                step);
    const std::vector<float> updated(state.value.begin() + moved, state.value.end());
    for (std::size_t i = 0; i < rounded.size(); ++i) {
      ASSERT_NE(updated[i], values[i]) << i;
      ASSERT_EQ(as_double(rounded[i]), nearest_of_8_bits(static_cast<double>(updated[i]))) << i;
    }
    if (moved == 0) first = updated;
    EXPECT_EQ(updated, first);
  }
}

TEST(CudaAdamW, ItsFirstStepIsTheLearningRateAgainstTheSign) {
  std::vector<double> value{1, 2, 3, 4}, moment1(4), moment2(4);
  const std::vector<double> gradient{0.5, -100, 0, 1e-3};
  const AdamWStep step{0.1, 0.5, 0.9, 0.99, 1e-12, 1 - 0.9, 1 - 0.99, 0, nullptr};
  GpuOnCpu gpu;
  const Bounds bounds{0, 4};
  kernels::cuda::adamw<double>(
      gpu.context(), {value.data(), gradient.data(), moment1.data(), moment2.data(), nullptr, 4, runs_of(bounds)},
      step);
  const std::vector<double> expected{0.95 - 0.1, 1.9 + 0.1, 2.85, 3.8 - 0.1};
  expect_near(value, expected, 1e-9, "value");
}

/// Returns for each of `count` values whether it decays, by the definition of the runs.
std::vector<bool> decaying(std::int64_t count, const Bounds& bounds) {
  std::vector<bool> decays(static_cast<std::size_t>(count));
  for (std::size_t run = 0; run + 1 < bounds.size(); run += 2)
    for (std::int64_t i = bounds[run]; i < bounds[run + 1]; ++i) decays[static_cast<std::size_t>(i)] = true;
  return decays;
}

/// Values of blocks of 1024 on a GPU, and of 256 on a CPU, without gradients: a step only decays.
TEST(CudaAdamW, DecaysTheValuesOfTheRunsAlone) {
  constexpr std::int64_t count = 3000;
  Bounds of_many;
  for (std::int64_t bound = 500; bound < 1600; bound += 7) of_many.push_back(bound + bound % 3);
  ASSERT_EQ(of_many.size() % 2, 0u);
  const AdamWStep step{0.1, 0.5, 0.9, 0.99, 1e-12, 1 - 0.9, 1 - 0.99, 0, nullptr};
  const Bounds cases[] = {{},
                          {0, count},
                          {0, 0},
                          {count, count},
                          {0, 1},
                          {count - 1, count},
                          {1, count - 1},
                          {1024, 2048},
                          {1023, 1024, 2048, 2049},
                          {1025, 2047},
                          {0, 1024, 1024, 2048, 2048, count},
                          {5, 5, 5, 9, 9, 9, 9, 12, 1030, 1030, 1030, 1040},
                          {256, 512, 700, 700, 768, 769},
                          of_many};
  for (const Bounds& bounds : cases) {
    SCOPED_TRACE(testing::PrintToString(bounds));
    const auto value = random_values<double>(count, 1, 2);
    std::vector<double> expected = value;
    const std::vector<bool> decays = decaying(count, bounds);
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (decays[i]) expected[i] *= 0.95;
    const std::vector<double> gradient(value.size());
    const auto expect_step = [&](const char* what, const auto& adamw) {
      std::vector<double> values = value, moment1(value.size()), moment2(value.size());
      adamw(kernels::AdamWValues<double>{values.data(), gradient.data(), moment1.data(), moment2.data(), nullptr, count,
                                         runs_of(bounds)});
      expect_near(values, expected, 1e-15, what);
    };
    for_each_order([&] {
      GpuOnCpu gpu;
      expect_step("on a GPU", [&](const auto& values) { kernels::cuda::adamw<double>(gpu.context(), values, step); });
    });
    for (const bool rest : {false, true}) {
      const auto marks = std::make_unique<bool[]>(count / kernels::adamw_block + 1);
      std::fill_n(marks.get(), count / kernels::adamw_block + 1, rest);
      expect_step(rest ? "on a CPU, at rest" : "on a CPU", [&](kernels::AdamWValues<double> values) {
        values.at_rest = marks.get();
        kernels::kernel_table<double>().adamw(kernels::on_cpu, values, step);
      });
    }
  }
}

TEST(CudaAdamW, ClipsGradientsToTheNorm) {
  // The moments of a first step are (1 - beta) times the clipped gradient.
  std::vector<double> value(2), moment1(2), moment2(2);
  const std::vector<double> gradient{3, -4};
  const double squared_norm = 25;
  AdamWStep step = step_of(1, 0, 2, &squared_norm);
  step.beta1 = 0.75;
  GpuOnCpu gpu;
  kernels::cuda::adamw<double>(
      gpu.context(), {value.data(), gradient.data(), moment1.data(), moment2.data(), nullptr, 2, runs_of({})}, step);
  expect_near(moment1, std::vector<double>{0.25 * 3 * 0.4, -0.25 * 4 * 0.4}, 1e-14, "first moment");
}

/// *sum before is something else. The sums of all orders are the same.
template <typename T>
double sum_of_squares(const std::vector<T>& x) {
  std::vector<double> sums;
  for_each_order([&] {
    sums.push_back(5);
    GpuOnCpu gpu;
    kernels::cuda::sum_of_squares<T>(gpu.context(), x.data(), static_cast<std::int64_t>(x.size()), &sums.back());
    EXPECT_EQ(sums.back(), sums.front());
  });
  return sums.front();
}

template <typename T>
void expect_sums() {
  for (const std::int64_t count : {0, 1, 31, 1000, 16384, 70000}) {
    SCOPED_TRACE(count);
    const auto x = random_values<T>(count, 1, 3);
    double expected = 5;
    kernels::kernel_table<double>().sum_of_squares(kernels::on_cpu, converted<double>(x).data(), count, &expected);
    EXPECT_NEAR(sum_of_squares(x), expected, 1e-12 * std::max(1.0, expected));
  }
}

TEST(CudaSumOfSquares, IsThatOfTheCpu) {
  expect_sums<double>();
  expect_sums<float>();
}

TEST(CudaSumOfSquares, OfNothingIsZero) {
  EXPECT_EQ(sum_of_squares<double>({}), 0);
}

TEST(CudaSumOfSquares, AddsUpMorePartsThanABlockHasThreads) {
  const std::vector<float> ones(static_cast<std::size_t>(kernels::cuda::squares_of_part * 300 + 1), 1.0f);
  double sum = 0;
  GpuOnCpu gpu;
  kernels::cuda::sum_of_squares<float>(gpu.context(), ones.data(), static_cast<std::int64_t>(ones.size()), &sum);
  EXPECT_EQ(sum, static_cast<double>(ones.size()));
}

TEST(CudaSumOfSquares, OfFloat32IsAddedUpInDouble) {
  // Squares that a float does not hold, and one too small to be seen in a float's sum.
  EXPECT_NEAR(sum_of_squares<float>({1e30f, -2e30f}), 5e60, 5e60 * 1e-6);
  EXPECT_EQ(sum_of_squares<float>({4096, 0.5f}), 4096.0 * 4096 + 0.25);
}

}  // namespace
}  // namespace gausscse
