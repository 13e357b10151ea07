#include "model/kernels/cuda/attention.cuh"

#include <stdexcept>

#include "tests/model/kernels/cuda/kernel_test.hpp"

namespace gausscse {
namespace {

using namespace testing_support;
using Lengths = std::vector<std::int32_t>;

struct Case {
  Lengths lengths;
  std::int64_t heads, head_size;
  double dropout = 0;
  bool first_token_only = false;
  Lengths attended = {};  ///< none: all tokens
};

/// A batch of random numbers, and attention over it on the GPU in T and Factor, or on the CPU in As and AsFactor.
template <typename T, typename Factor>
class Batch {
 public:
  explicit Batch(const Case& c)
      : sentences_(c.lengths),
        attended_(c.attended),
        arguments_{sentences_.shape(), c.heads * c.head_size, c.heads, c.first_token_only,
                   DropoutSite::of(DropoutStep::of(9, 4), 5, c.dropout)},
        rows_(c.first_token_only ? sentences_.sentences() : sentences_.tokens()),
        qkv(random_values<Factor>(sentences_.tokens() * 3 * arguments_.hidden, 1, 2)),
        grad(random_values<Factor>(rows_ * arguments_.hidden, 2)),
        bias(random_values<T>(3 * arguments_.hidden, 3, 0.5)) {
    if (!attended_.empty()) arguments_.shape.attended = attended_.data();
  }

  template <typename As, typename AsFactor>
  std::vector<AsFactor> expected_context() const {
    auto context = canaries<AsFactor>(rows_ * arguments_.hidden);
    kernels::kernel_table<As, AsFactor>().attention(kernels::on_cpu, arguments_, converted<AsFactor>(qkv).data(),
                                                    converted<As>(bias).data(), context.data());
    return context;
  }
  template <typename As, typename AsFactor>
  std::vector<AsFactor> expected_gradient() const {
    auto grad_qkv = canaries<AsFactor>(static_cast<std::int64_t>(qkv.size()));
    kernels::kernel_table<As, AsFactor>().attention_backward(
        kernels::on_cpu, arguments_, converted<AsFactor>(qkv).data(), converted<As>(bias).data(),
        converted<AsFactor>(grad).data(), grad_qkv.data());
    return grad_qkv;
  }
  std::vector<Factor> context() const {
    auto context = canaries<Factor>(rows_ * arguments_.hidden);
    GpuOnCpu gpu;
    kernels::cuda::attention<T, Factor>(gpu.context(), arguments_, qkv.data(), bias.data(), context.data());
    return context;
  }
  std::vector<Factor> gradient() const {
    auto grad_qkv = canaries<Factor>(static_cast<std::int64_t>(qkv.size()));
    GpuOnCpu gpu;
    kernels::cuda::attention_backward<T, Factor>(gpu.context(), arguments_, qkv.data(), bias.data(), grad.data(),
                                                 grad_qkv.data());
    return grad_qkv;
  }

  const kernels::Attention& arguments() const { return arguments_; }

 private:
  /// What no result is.
  template <typename Value>
  static std::vector<Value> canaries(std::int64_t count) {
    Value canary;
    put_as(1e9, canary);
    return std::vector<Value>(static_cast<std::size_t>(count), canary);
  }

  PackedSentences sentences_;
  Lengths attended_;
  kernels::Attention arguments_;
  std::int64_t rows_;

 public:
  std::vector<Factor> qkv, grad;
  std::vector<T> bias;
};

/// T and Factor on the GPU against As and AsFactor on the CPU.
template <typename T, typename Factor, typename As, typename AsFactor>
void expect_case(const Case& c) {
  SCOPED_TRACE("head size " + std::to_string(c.head_size) + ", dropout " + std::to_string(c.dropout) +
               (c.first_token_only ? ", first tokens" : ""));
  const Batch<T, Factor> batch(c);
  const double tolerance = kernel_tolerance<T, Factor>();
  expect_near(batch.context(), batch.template expected_context<As, AsFactor>(), tolerance, "context");
  if (c.attended.empty())
    expect_near(batch.gradient(), batch.template expected_gradient<As, AsFactor>(), tolerance, "gradient");
}

/// All of them with and without dropout, for all tokens and for the first ones.
template <typename T, typename Factor, typename As, typename AsFactor>
void expect_all(Case c) {
  for (const double dropout : {0.0, 0.3})
    for (const bool first_token_only : {false, true}) {
      c.dropout = dropout;
      c.first_token_only = first_token_only;
      expect_case<T, Factor, As, AsFactor>(c);
    }
}

const Lengths short_lengths{1, 15, 16, 17, 31, 32, 4, 8, 9}, short_and_long{33, 5, 65, 64, 32, 1};

TEST(CudaAttention, OfShortSentencesIsThatOfTheCpuInFloat64) {
  expect_all<double, double, double, double>({.lengths = short_lengths, .heads = 3, .head_size = 8});
  expect_all<double, double, double, double>({.lengths = {3, 20}, .heads = 1, .head_size = 20});
  expect_all<double, double, double, double>({.lengths = {17, 9}, .heads = 3, .head_size = 32});
  expect_all<double, double, double, double>({.lengths = {12, 30}, .heads = 1, .head_size = 64});
}

TEST(CudaAttention, OfLongSentencesIsThatOfTheCpuInFloat64) {
  expect_all<double, double, double, double>({.lengths = short_and_long, .heads = 3, .head_size = 8});
  expect_all<double, double, double, double>({.lengths = {40}, .heads = 1, .head_size = 20});
  expect_all<double, double, double, double>({.lengths = {7, 49}, .heads = 2, .head_size = 64});
}

TEST(CudaAttention, OfTheLongestSentenceIsThatOfTheCpuInFloat64) {
  expect_case<double, double, double, double>({.lengths = {2, 512}, .heads = 1, .head_size = 4, .dropout = 0.3});
}

TEST(CudaAttention, OfHeadsOfAnySizeIsThatOfTheCpuInFloat64) {
  for (const std::int64_t head_size : {1, 7, 33, 66, 128}) {
    const Case c{.lengths = {11, 35}, .heads = 2, .head_size = head_size, .dropout = 0.3};
    expect_case<double, double, double, double>(c);
  }
}

TEST(CudaAttention, InFloat32IsNearFloat64) {
  expect_all<float, float, double, double>({.lengths = short_lengths, .heads = 1, .head_size = 32});
  expect_all<float, float, double, double>({.lengths = short_and_long, .heads = 1, .head_size = 20});
}

TEST(CudaAttention, InBfloat16IsNearThatOfTheCpu) {
  using kernels::Bfloat16;
  expect_all<float, Bfloat16, float, Bfloat16>({.lengths = short_lengths, .heads = 1, .head_size = 32});
  expect_all<float, Bfloat16, float, Bfloat16>({.lengths = short_and_long, .heads = 1, .head_size = 20});
}

TEST(CudaAttention, ToTheFirstTokensOfASentence) {
  for (const bool first_token_only : {false, true})
    for (const double dropout : {0.0, 0.3}) {
      Case c{.lengths = {20, 70, 33, 5, 32},
             .heads = 2,
             .head_size = 8,
             .dropout = dropout,
             .first_token_only = first_token_only,
             .attended = {17, 34, 3, 5, 1}};
      expect_case<double, double, double, double>(c);
      expect_case<float, float, double, double>(c);
    }
}

/// Fibers find other faults in another order; and the bits do not depend on it.
TEST(CudaAttention, HasTheSameBitsInAnyOrder) {
  const Batch<float, float> batch({.lengths = {13, 18, 44, 2, 31}, .heads = 2, .head_size = 12, .dropout = 0.2});
  const auto context = batch.context(), gradient = batch.gradient();
  for_each_order([&] {
    EXPECT_EQ(batch.context(), context);
    EXPECT_EQ(batch.gradient(), gradient);
  });
}

TEST(CudaAttention, OfNothing) {
  for (const bool first_token_only : {false, true}) {
    const Case c{.lengths = {}, .heads = 2, .head_size = 8, .dropout = 0.3, .first_token_only = first_token_only};
    expect_case<double, double, double, double>(c);
  }
  // Sentences without tokens beside others: these are as they are without them.
  const Batch<double, double> with({.lengths = {0, 3, 0, 40, 0}, .heads = 1, .head_size = 8}),
      without({.lengths = {3, 40}, .heads = 1, .head_size = 8});
  EXPECT_EQ(with.context(), without.context());
  EXPECT_EQ(with.gradient(), without.gradient());
}

TEST(CudaAttention, ByHand) {
  // Two tokens, one head of one column: query 1 of token 1 has scores 1 * 0 and 1 * log 3, weights 1/4 and 3/4.
  const double log_3 = std::log(3.0);
  const std::vector<double> qkv{0, -1, 10, 1, log_3 - 1, 18}, bias{0, 1, 2}, grad{0, 1};
  const PackedSentences packed({2});
  const kernels::Attention arguments{packed.shape(), 1, 1, false, {}};
  std::vector<double> context(2), grad_qkv(6);
  GpuOnCpu gpu;
  kernels::cuda::attention<double, double>(gpu.context(), arguments, qkv.data(), bias.data(), context.data());
  expect_near(context, std::vector<double>{16, 18}, 1e-14, "context");
  kernels::cuda::attention_backward<double, double>(gpu.context(), arguments, qkv.data(), bias.data(), grad.data(),
                                                    grad_qkv.data());
  // Gradients of its weights are the values 12 and 20, and of its scores 1/4 (12 - 18) and 3/4 (20 - 18).
  expect_near(grad_qkv, std::vector<double>{0, -1.5, 0.25, 1.5 * log_3, 1.5, 0.75}, 1e-14, "gradient");
}

TEST(CudaAttention, DropsTheSameProbabilitiesAsTheCpu) {
  // Equal keys, and values that are the rows of a unit matrix: the context is the dropped probabilities.
  for (const std::int32_t length : {7, 16, 25, 50}) {
    Batch<double, double> batch({.lengths = {length}, .heads = 1, .head_size = length, .dropout = 0.4});
    std::fill(batch.qkv.begin(), batch.qkv.end(), 0.0);
    std::fill(batch.bias.begin(), batch.bias.end(), 0.0);
    for (std::int64_t i = 0; i < length; ++i)
      batch.qkv[static_cast<std::size_t>((3 * i + 2) * length + i)] = static_cast<double>(length);
    const auto context = batch.context();
    const kernels::Attention& arguments = batch.arguments();
    const int padded = (length + 15) / 16 * 16;
    for (std::int32_t query = 0; query < length; ++query)
      for (std::int32_t key = 0; key < length; ++key) {
        const auto element = static_cast<std::uint32_t>(query * padded + key);
        const std::uint32_t word = kernels::dropout_word(arguments.dropout, arguments.shape.samples[0], 0, element);
        const double expected = word >= arguments.dropout.threshold ? 1 / 0.6 : 0.0;
        ASSERT_NEAR(context[static_cast<std::size_t>(query * length + key)], expected, 1e-13) << query << ", " << key;
      }
  }
}

TEST(CudaAttention, ReadsMatricesThatAreNotAlignedInFours) {
  const Batch<float, float> batch({.lengths = {18, 34}, .heads = 2, .head_size = 8});
  const auto one_behind = [](const std::vector<float>& values) {
    std::vector<float> moved{0};
    moved.insert(moved.end(), values.begin(), values.end());
    return moved;
  };
  const auto qkv = one_behind(batch.qkv), bias = one_behind(batch.bias), grad = one_behind(batch.grad);
  std::vector<float> context(batch.grad.size()), grad_qkv(batch.qkv.size());
  GpuOnCpu gpu;
  kernels::cuda::attention<float, float>(gpu.context(), batch.arguments(), qkv.data() + 1, bias.data() + 1,
                                         context.data());
  kernels::cuda::attention_backward<float, float>(gpu.context(), batch.arguments(), qkv.data() + 1, bias.data() + 1,
                                                  grad.data() + 1, grad_qkv.data());
  EXPECT_EQ(context, batch.context());
  EXPECT_EQ(grad_qkv, batch.gradient());
}

TEST(CudaAttention, NamesAHeadThatIsTooWide) {
  const Batch<float, float> batch({.lengths = {1}, .heads = 1, .head_size = 129});
  EXPECT_THROW(batch.context(), std::invalid_argument);
  EXPECT_THROW(batch.gradient(), std::invalid_argument);
}

}  // namespace
}  // namespace gausscse
