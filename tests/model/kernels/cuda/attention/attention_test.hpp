#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/kernels/cuda/attention/attention.cuh"
#include "model/kernels/gpu_attention.hpp"
#include "model/kernels/relative_position.hpp"
#include "tests/model/kernels/cuda/kernel_test.hpp"

/// Attention over random numbers, for tests of the GPU's kernels.
namespace gausscse {

using Lengths = std::vector<std::int32_t>;

struct AttentionCase {
  Lengths lengths;
  std::int64_t heads, head_size;
  double dropout = 0;
  bool first_token_only = false;
  Lengths attended = {};  ///< none: all tokens
  bool relative = false;  ///< with biases by relative position
  std::int64_t farthest = std::numeric_limits<std::int64_t>::max();
};

/// Result of a forward. Its statistics are no result's where nothing was written.
template <typename T, typename Factor>
struct ForwardResult {
  std::vector<Factor> context;
  std::vector<T> statistics;
};

/// Result of a backward: grad_qkv, and the gradients of relative biases, added to `there_before`.
template <typename T, typename Factor>
struct AttentionGradients {
  std::vector<Factor> qkv;
  std::vector<T> relative;

  void expect_equal(const AttentionGradients& other) const {
    EXPECT_EQ(qkv, other.qkv);
    EXPECT_EQ(relative, other.relative);
  }
};
constexpr double there_before = 5;

/// Number that no result is.
constexpr double no_result = 1e9;

/// Returns null for none.
template <typename Value>
const Value* data_of(const std::vector<Value>& values) {
  return values.empty() ? nullptr : values.data();
}

/// A batch of random numbers, and attention over it on the GPU in T and Factor, or on the CPU in As and AsFactor.
template <typename T, typename Factor>
class AttentionBatch {
 public:
  explicit AttentionBatch(const AttentionCase& c)
      : sentences_(c.lengths),
        attended_(c.attended),
        arguments_{sentences_.shape(),
                   c.heads * c.head_size,
                   c.heads,
                   c.first_token_only,
                   DropoutSite::of(DropoutStep::of(9, 4), 5, c.dropout),
                   c.farthest},
        rows_(c.first_token_only ? sentences_.sentences() : sentences_.tokens()),
        qkv(random_values<Factor>(sentences_.tokens() * 3 * arguments_.hidden, 1, 2)),
        grad(random_values<Factor>(rows_ * arguments_.hidden, 2)),
        bias(random_values<T>(3 * arguments_.hidden, 3, 0.5)),
        relative_bias(random_values<T>(c.relative ? kernels::relative_position_buckets * c.heads : 0, 4)) {
    if (!attended_.empty()) arguments_.shape.attended = attended_.data();
  }

  template <typename As, typename AsFactor>
  std::vector<AsFactor> expected_context() const {
    auto context = canaries<AsFactor>(rows_ * arguments_.hidden);
    kernels::kernel_table<As, AsFactor>().attention(kernels::on_cpu, arguments_, converted<AsFactor>(qkv).data(),
                                                    converted<As>(bias).data(), data_of(converted<As>(relative_bias)),
                                                    context.data(), nullptr);
    return context;
  }
  template <typename As, typename AsFactor>
  AttentionGradients<As, AsFactor> expected_gradient() const {
    auto gradients = empty_gradients<As, AsFactor>();
    kernels::kernel_table<As, AsFactor>().attention_backward(
        kernels::on_cpu, arguments_, converted<AsFactor>(qkv).data(), converted<As>(bias).data(),
        data_of(converted<As>(relative_bias)), nullptr, nullptr, converted<AsFactor>(grad).data(), gradients.qkv.data(),
        gradients.relative.data());
    return gradients;
  }
  ForwardResult<T, Factor> forward() const {
    ForwardResult<T, Factor> result{canaries<Factor>(rows_ * arguments_.hidden),
                                    canaries<T>(rows_ * arguments_.heads * kernels::attention_statistics)};
    attend(result.context, result.statistics.data());
    return result;
  }
  /// As without a backward.
  std::vector<Factor> context() const {
    auto context = canaries<Factor>(rows_ * arguments_.hidden);
    attend(context, nullptr);
    return context;
  }
  AttentionGradients<T, Factor> gradient() const { return gradient(forward()); }
  /// `of_forward` is only looked at where the backward needs it.
  AttentionGradients<T, Factor> gradient(const ForwardResult<T, Factor>& of_forward) const {
    auto gradients = empty_gradients<T, Factor>();
    const bool in_bfloat16 = std::is_same_v<Factor, kernels::Bfloat16>;
    const std::int64_t head_size = arguments_.hidden / arguments_.heads;
    const bool is_long = arguments_.shape.longest > kernels::short_attention_tokens(head_size, in_bfloat16) &&
                         !of_forward.context.empty();
    GpuOnCpu gpu;
    kernels::cuda::attention_backward<T, Factor>(gpu.context(), arguments_, qkv.data(), bias.data(),
                                                 data_of(relative_bias), is_long ? of_forward.context.data() : nullptr,
                                                 is_long ? of_forward.statistics.data() : nullptr, grad.data(),
                                                 gradients.qkv.data(), gradients.relative.data());
    return gradients;
  }

  const kernels::Attention& arguments() const { return arguments_; }

  /// Orders the sentences by their classes of lengths, each class backwards.
  void order_by_length() {
    const auto* offsets = arguments_.shape.offsets;
    kernels::LengthClasses& classes = arguments_.shape.classes;
    by_length_.clear();
    for (int c = 0; c <= kernels::attention_classes; ++c) {
      classes.first[c] = static_cast<std::int64_t>(by_length_.size());
      for (auto s = static_cast<std::int32_t>(sentences_.sentences()) - 1; s >= 0 && c < kernels::attention_classes;
           --s)
        if ((offsets[s + 1] - offsets[s] + 15) / 16 == c + 1) by_length_.push_back(s);
    }
    classes.sentences = by_length_.data();
  }

 private:
  void attend(std::vector<Factor>& context, T* statistics) const {
    GpuOnCpu gpu;
    kernels::cuda::attention<T, Factor>(gpu.context(), arguments_, qkv.data(), bias.data(), data_of(relative_bias),
                                        context.data(), statistics);
  }
  template <typename Value>
  static std::vector<Value> canaries(std::int64_t count) {
    Value canary;
    put_as(no_result, canary);
    return std::vector<Value>(static_cast<std::size_t>(count), canary);
  }
  template <typename As, typename AsFactor>
  AttentionGradients<As, AsFactor> empty_gradients() const {
    return {canaries<AsFactor>(static_cast<std::int64_t>(qkv.size())),
            std::vector<As>(relative_bias.size() * static_cast<std::size_t>(sentences_.sentences()),
                            static_cast<As>(there_before))};
  }

  PackedSentences sentences_;
  Lengths attended_, by_length_;
  kernels::Attention arguments_;
  std::int64_t rows_;

 public:
  std::vector<Factor> qkv, grad;
  std::vector<T> bias, relative_bias;
};

/// Compares T and Factor on the GPU with As and AsFactor on the CPU.
template <typename T, typename Factor, typename As, typename AsFactor>
void expect_case(const AttentionCase& c) {
  SCOPED_TRACE("head size " + std::to_string(c.head_size) + ", dropout " + std::to_string(c.dropout) +
               (c.first_token_only ? ", first tokens" : "") + (c.relative ? ", relative positions" : ""));
  const AttentionBatch<T, Factor> batch(c);
  const double tolerance = kernel_tolerance<T, Factor>();
  const auto forward = batch.forward();
  expect_near(forward.context, batch.template expected_context<As, AsFactor>(), tolerance, "context");
  if (!c.attended.empty()) return;
  const auto gradient = batch.gradient(forward);
  const auto expected = batch.template expected_gradient<As, AsFactor>();
  expect_near(gradient.qkv, expected.qkv, tolerance, "gradient");
  expect_near(gradient.relative, expected.relative, tolerance, "gradient of relative biases");
}

/// Compares with and without dropout, for all tokens and for the first ones.
template <typename T, typename Factor, typename As, typename AsFactor>
void expect_all(AttentionCase c) {
  for (const double dropout : {0.0, 0.3})
    for (const bool first_token_only : {false, true}) {
      c.dropout = dropout;
      c.first_token_only = first_token_only;
      expect_case<T, Factor, As, AsFactor>(c);
    }
}

/// Compares bfloat16 with the CPU in bfloat16, and with float64: a probability that is rounded to bfloat16 must not
/// cost more than the bounds of other kernels allow.
inline void expect_bfloat16_near_both(const AttentionCase& c) {
  using kernels::Bfloat16;
  expect_case<float, Bfloat16, float, Bfloat16>(c);
  expect_case<float, Bfloat16, double, double>(c);
}
inline void expect_all_bfloat16_near_both(const AttentionCase& c) {
  using kernels::Bfloat16;
  expect_all<float, Bfloat16, float, Bfloat16>(c);
  expect_all<float, Bfloat16, double, double>(c);
}

}  // namespace gausscse
