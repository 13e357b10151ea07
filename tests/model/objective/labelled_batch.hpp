#pragma once

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/tensor.h>

#include "base/philox.hpp"
#include "model/objective/objective.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Labelled pairs of which many have a premise in common, with float64 embeddings and, where asked for, parameters.
struct LabelledBatch {
  static constexpr std::int64_t width = 5;

  std::vector<std::int64_t> labels{0, 0, 1, 0, 2, 0, 0, 1, 0, 2, 0, 0, 2, 0};
  std::vector<std::int64_t> groups{3, 3, 3, 8, 3, 3, 8, 8, 5, 8, 3, 8, 6, 6};
  ObjectiveInput input;

  explicit LabelledBatch(std::int64_t parameters = 0, std::int64_t seed = 0) { fill(parameters, seed); }

  /// Three of five pairs are entailments, and about eight have a premise in common.
  static LabelledBatch of_many(std::int64_t pairs, std::int64_t parameters = 0) {
    LabelledBatch batch;
    batch.labels.clear();
    batch.groups.clear();
    PhiloxStream stream(5, 0);
    for (std::int64_t i = 0; i < pairs; ++i) {
      const std::uint32_t draw = stream.below(5);
      batch.labels.push_back(draw < 3 ? 0 : draw - 2);
      batch.groups.push_back(stream.below(static_cast<std::uint32_t>(pairs / 8)));
    }
    batch.fill(parameters, 0);
    return batch;
  }

  std::int64_t pairs() const { return static_cast<std::int64_t>(labels.size()); }
  std::int64_t anchors() const { return std::count(labels.begin(), labels.end(), 0); }
  AnchorRange all() const { return {0, pairs()}; }
  void set_labels() { input.labels = {at::tensor(labels, at::kLong), at::tensor(groups, at::kLong)}; }
  double value(std::int64_t role, std::int64_t example, std::int64_t d) const {
    return input.embeddings.const_data_ptr<double>()[(role * pairs() + example) * width + d];
  }
  ObjectiveGradient empty_gradient() const {
    return {at::full_like(input.embeddings, 9),
            input.parameters.defined() ? at::full_like(input.parameters, 9) : at::Tensor()};
  }

 private:
  void fill(std::int64_t parameters, std::int64_t seed) {
    at::manual_seed(static_cast<std::uint64_t>(seed + 11));
    input.embeddings = at::randn({2, pairs(), width}, at::kDouble);
    if (parameters > 0) input.parameters = at::randn({parameters}, at::kDouble) * 0.4;
    input.step = {.seed = 21, .number = 4};
    set_labels();
  }
};

/// Compares `gradient` with central differences of `loss` by every element of `values`, which it changes and restores.
inline void expect_derivatives(const at::Tensor& values, const at::Tensor& gradient,
                               const std::function<double()>& loss) {
  auto* x = values.mutable_data_ptr<double>();
  const at::Tensor found = gradient.contiguous();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    const double before = x[i], step = 1e-6;
    x[i] = before + step;
    const double above = loss();
    x[i] = before - step;
    const double below = loss();
    x[i] = before;
    ASSERT_NEAR(found.const_data_ptr<double>()[i], (above - below) / (2 * step), 2e-8) << i;
  }
}

/// As `expect_derivatives`, along some random directions, for where elements are many.
inline void expect_derivatives_along_directions(const at::Tensor& values, const at::Tensor& gradient,
                                                const std::function<double()>& loss) {
  at::manual_seed(2);
  for (int i = 0; i < 3; ++i) {
    const at::Tensor direction = at::randn(values.sizes(), at::kDouble), before = values.clone();
    const double step = 1e-6, found = (gradient * direction).sum().item<double>();
    values.copy_(before + step * direction);
    const double above = loss();
    values.copy_(before - step * direction);
    const double below = loss();
    values.copy_(before);
    EXPECT_NEAR(found, (above - below) / (2 * step), 1e-7) << i;
  }
}

}  // namespace gausscse
