#include "model/kernels/cuda/layer_norm.cuh"

#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

using kernels::Bfloat16;
using kernels::Kernels;
using namespace testing_support;

/// One layer norm: which of its inputs there are, and its size.
struct Case {
  std::vector<std::int32_t> lengths;
  std::int64_t hidden;
  bool has_x, has_residual, keeps, has_factor, has_addend;
  double dropout, output_dropout;
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
};

DropoutSite site(std::uint32_t number, double probability) {
  return DropoutSite::of(DropoutStep::of(5, 6), number, probability);
}

/// Inputs, each of another magnitude, as T and Factor.
template <typename T, typename Factor>
struct Inputs {
  explicit Inputs(const Case& c)
      : packed(c.lengths),
        rows(packed.tokens()),
        x(random_values<Factor>(rows * c.hidden, 1)),
        bias(random_values<T>(c.hidden, 2, 0.5)),
        residual(random_values<T>(rows * c.hidden, 3, 2)),
        gamma(random_values<T>(c.hidden, 4, 1.5)),
        beta(random_values<T>(c.hidden, 5, 0.7)),
        grad(random_values<T>(rows * c.hidden, 6)),
        addend(random_values<Factor>(rows * c.hidden, 7, 0.3)) {}

  PackedSentences packed;
  std::int64_t rows;
  std::vector<Factor> x;
  std::vector<T> bias, residual, gamma, beta, grad;
  std::vector<Factor> addend;
};

template <typename T, typename Factor>
struct Forward {
  std::vector<T> out, normalized, inverse;
  std::vector<Factor> factor;
};

/// `run` is the kernel, called as that of a table is.
template <typename T, typename Factor, typename Run>
Forward<T, Factor> forward(const Case& c, const Inputs<T, Factor>& in, const Run& run) {
  const auto count = static_cast<std::size_t>(in.rows * c.hidden);
  Forward<T, Factor> out;
  out.out.resize(count);
  if (c.keeps) {
    out.normalized.resize(count);
    out.inverse.resize(static_cast<std::size_t>(in.rows));
  }
  if (c.has_factor) out.factor.resize(count);
  const auto or_null = [](auto& values) { return values.empty() ? nullptr : values.data(); };
  run(c.has_x ? in.x.data() : nullptr, c.has_x ? in.bias.data() : nullptr,
      c.has_residual ? in.residual.data() : nullptr, in.gamma.data(), in.beta.data(), 1e-5, site(1, c.dropout),
      site(2, c.output_dropout), in.packed.rows(), in.rows, c.hidden, out.out.data(), or_null(out.factor),
      or_null(out.normalized), or_null(out.inverse));
  return out;
}

template <typename T, typename Factor>
struct Backward {
  std::vector<T> residual, gamma, beta, bias;
  std::vector<Factor> x;
};

template <typename T, typename Factor, typename Run>
Backward<T, Factor> backward(const Case& c, const Inputs<T, Factor>& in, const Forward<T, Factor>& kept,
                             const Run& run) {
  const OneShard shard(in.rows);
  const auto count = static_cast<std::size_t>(in.rows * c.hidden);
  // Gradients of parameters are added to.
  Backward<T, Factor> out{std::vector<T>(count), random_values<T>(c.hidden, 8), random_values<T>(c.hidden, 9),
                          random_values<T>(c.hidden, 10), std::vector<Factor>(c.has_x ? count : 0)};
  std::vector<T> grad = in.grad;
  T* const grad_residual = c.has_x ? out.residual.data() : grad.data();
  run(grad.data(), c.has_addend ? in.addend.data() : nullptr, kept.normalized.data(), kept.inverse.data(),
      in.gamma.data(), site(1, c.dropout), site(2, c.output_dropout), in.packed.rows(), shard.rows(), c.hidden,
      grad_residual, c.has_x ? out.x.data() : nullptr, out.gamma.data(), out.beta.data(),
      c.has_x ? out.bias.data() : nullptr);
  if (!c.has_x) out.residual = grad;
  return out;
}

/// The GPU's kernels in (T, Factor) against the CPU's in (Other, OtherFactor).
template <typename T, typename Factor, typename Other, typename OtherFactor>
void expect_equal() {
  for (const Case& c : cases) {
    SCOPED_TRACE("hidden " + std::to_string(c.hidden));
    const Inputs<T, Factor> here(c);
    Inputs<Other, OtherFactor> there(c);
    there.x = converted<OtherFactor>(here.x);
    there.addend = converted<OtherFactor>(here.addend);
    for (auto [to, from] :
         {std::pair(&there.bias, &here.bias), std::pair(&there.residual, &here.residual),
          std::pair(&there.gamma, &here.gamma), std::pair(&there.beta, &here.beta), std::pair(&there.grad, &here.grad)})
      *to = converted<Other>(*from);
    const Kernels<Other, OtherFactor>& table = kernels::kernel_table<Other, OtherFactor>();
    const auto on_cpu = [](auto kernel) {
      return [kernel](auto... arguments) { kernel(kernels::on_cpu, arguments...); };
    };
    const auto kept = forward<Other, OtherFactor>(c, there, on_cpu(table.add_layer_norm));
    for_each_order([&] {
      GpuOnCpu gpu;
      const double tolerance = kernel_tolerance<T, Factor>();
      const auto out = forward<T, Factor>(
          c, here, [&](auto... a) { kernels::cuda::add_layer_norm<T, Factor>(gpu.context(), a...); });
      expect_near(out.out, kept.out, sizeof(T) == 4 ? 4e-6 : tolerance, "out");
      expect_near(out.factor, kept.factor, tolerance, "factor");
      expect_near(out.normalized, kept.normalized, sizeof(T) == 4 ? 4e-6 : tolerance, "normalized");
      expect_near(out.inverse, kept.inverse, sizeof(T) == 4 ? 4e-6 : tolerance, "inverse deviation");
      if (!c.keeps) return;
      const auto expected = backward<Other, OtherFactor>(c, there, kept, on_cpu(table.add_layer_norm_backward));
      const auto grads = backward<T, Factor>(
          c, here, out, [&](auto... a) { kernels::cuda::add_layer_norm_backward<T, Factor>(gpu.context(), a...); });
      const double wide = sizeof(T) == 4 ? 4e-6 : tolerance;
      expect_near(grads.residual, expected.residual, wide, "gradient of the residual");
      expect_near(grads.x, expected.x, tolerance, "gradient of x");
      expect_near(grads.gamma, expected.gamma, wide, "gradient of gamma");
      expect_near(grads.beta, expected.beta, wide, "gradient of beta");
      expect_near(grads.bias, expected.bias, wide, "gradient of bias");
    });
  }
}

TEST(CudaLayerNorm, IsThatOfTheCpuInFloat64) {
  expect_equal<double, double, double, double>();
}

TEST(CudaLayerNorm, InFloat32IsNearFloat64) {
  expect_equal<float, float, double, double>();
}

TEST(CudaLayerNorm, WithBfloat16FactorsIsThatOfTheCpu) {
  expect_equal<float, Bfloat16, float, Bfloat16>();
}

TEST(CudaLayerNorm, GradientsOfManyRowsAreThoseOfTheCpu) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  GTEST_SKIP() << "takes a minute under AddressSanitizer";
#endif
  // More rows than 1024 parts of 8: parts are larger then.
  const Case many{{8300}, 3, true, true, true, false, false, 0, 0};
  const Inputs<double, double> in(many);
  const Forward<double, double> kept{
      {}, random_values<double>(in.rows * 3, 21), random_values<double>(in.rows, 22), {}};
  const auto expected = backward<double, double>(many, in, kept, [](auto... arguments) {
    kernels::kernel_table<double>().add_layer_norm_backward(kernels::on_cpu, arguments...);
  });
  GpuOnCpu gpu;
  const auto grads = backward<double, double>(many, in, kept, [&](auto... arguments) {
    kernels::cuda::add_layer_norm_backward<double, double>(gpu.context(), arguments...);
  });
  expect_near(grads.residual, expected.residual, 1e-12, "gradient of the residual");
  expect_near(grads.x, expected.x, 1e-12, "gradient of x");
  expect_near(grads.gamma, expected.gamma, 1e-12, "gradient of gamma");
  expect_near(grads.beta, expected.beta, 1e-12, "gradient of beta");
  expect_near(grads.bias, expected.bias, 1e-12, "gradient of bias");
}

TEST(CudaLayerNorm, DropsWhatIsNotANumber) {
  // As on the CPU: a dropped element is 0 whatever it was.
  const std::int64_t hidden = 64;
  std::vector<double> x(64, std::nan("")), zero(64), one(64, 1.0), residual = random_values<double>(64, 1), out(64);
  const DropoutSite all{{1, 2}, 3, 0xFFFFFFFF, 2.0};
  const std::uint32_t word = 0;
  GpuOnCpu gpu;
  kernels::cuda::add_layer_norm<double, double>(gpu.context(), x.data(), zero.data(), residual.data(), one.data(),
                                                zero.data(), 1e-5, all, {}, {&word, &word}, 1, hidden, out.data(),
                                                nullptr, nullptr, nullptr);
  for (const double value : out) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace gausscse
