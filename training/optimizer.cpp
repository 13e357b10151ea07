#include "training/optimizer.hpp"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/device/device_kernels.hpp"
#include "model/device/transfers.hpp"
#include "model/kernels/kernels.hpp"

namespace gausscse {

namespace {

/// Returns whether a parameter is a bias or a norm's. The table of relative position biases is one, as in the Trainer
/// of transformers.
bool is_bias_or_norm(const std::string& name) {
  return name.find("bias") != std::string::npos || name.find("LayerNorm") != std::string::npos;
}

/// Returns the bounds of runs of parameters that decay among gradients `begin` to `end` - 1, counted from `begin`, see
/// kernels::DecayingRuns.
at::Tensor decay_bounds(const ParameterStore& parameters, bool decay_biases_and_norms, std::int64_t begin,
                        std::int64_t end) {
  std::vector<std::int64_t> bounds;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::int64_t first = parameters.offset(i) - parameters.first_trained();
    if (first < begin || first >= end) continue;
    const bool decays = decay_biases_and_norms || !is_bias_or_norm(parameters.specs()[i].name);
    const bool in_run = bounds.size() % 2 == 1;
    if (decays != in_run) bounds.push_back(first - begin);
  }
  if (bounds.size() % 2 == 1) bounds.push_back(end - begin);
  return at::tensor(bounds, at::kLong);
}

}  // namespace

std::int64_t Optimizer::Range::blocks() const {
  return (count + kernels::adamw_block - 1) / kernels::adamw_block;
}

Optimizer::Optimizer(ParameterStore& parameters, const OptimizerSettings& settings)
    : parameters_(parameters),
      settings_(settings),
      moment1_(at::zeros_like(parameters.trained_values())),
      moment2_(at::zeros_like(parameters.trained_values())),
      squared_norm_(at::zeros({1}, parameters.values().options().dtype(at::kDouble))) {
  const std::int64_t head = settings.head_factor == 1
                                ? moment1_.numel()
                                : std::max(settings.head - parameters.first_trained(), std::int64_t{0});
  add_range(0, head, 1);
  add_range(head, moment1_.numel(), settings.head_factor);
}

void Optimizer::add_range(std::int64_t begin, std::int64_t end, double factor) {
  if (begin >= end) return;
  const at::Tensor bounds = decay_bounds(parameters_, settings_.decay_biases_and_norms, begin, end);
  Range& range = ranges_.emplace_back(
      Range{begin, end - begin, factor, ops::to_device(bounds, parameters_.values().device()), nullptr});
  if (!moment1_.is_cpu()) return;
  range.at_rest = std::make_unique<bool[]>(static_cast<std::size_t>(range.blocks()));
  std::fill_n(range.at_rest.get(), range.blocks(), true);
}

void Optimizer::mark_blocks_at_rest(const Range& range) {
  if (!moment1_.is_cpu()) return;
  ops::with_scalar_type(moment1_, [&]<typename T>(T) {
    const auto all_zero = [](const T* x, std::int64_t count) {
      return std::all_of(x, x + count, [](T value) { return value == 0; });
    };
    for (std::int64_t block = 0; block < range.blocks(); ++block) {
      const std::int64_t begin = block * kernels::adamw_block;
      const std::int64_t count = std::min(kernels::adamw_block, range.count - begin);
      range.at_rest[static_cast<std::size_t>(block)] =
          all_zero(ops::data<const T>(moment1_) + range.begin + begin, count) &&
          all_zero(ops::data<const T>(moment2_) + range.begin + begin, count);
    }
  });
}

const at::Tensor& Optimizer::squared_gradient_norm() {
  const at::Tensor& gradients = parameters_.gradients();
  ops::with_scalar_type(gradients, [&]<typename T>(T) {
    ops::kernels_for<T>(gradients).sum_of_squares(ops::context_of(gradients), ops::data<const T>(gradients),
                                                  gradients.numel(), squared_norm_.mutable_data_ptr<double>());
  });
  has_norm_ = true;
  return squared_norm_;
}

void Optimizer::restore(std::int64_t steps, const at::Tensor& moment1, const at::Tensor& moment2) {
  steps_ = steps;
  moment1_.copy_(moment1);
  moment2_.copy_(moment2);
  for (const Range& range : ranges_) mark_blocks_at_rest(range);
}

void Optimizer::step(double learning_rate, const at::Tensor& rounded) {
  GAUSSCSE_CHECK(settings_.clip_norm <= 0 || has_norm_, "clipping needs the norm of the gradients");
  ++steps_;
  kernels::AdamWStep how{.learning_rate = learning_rate,
                         .weight_decay = settings_.weight_decay,
                         .beta1 = settings_.beta1,
                         .beta2 = settings_.beta2,
                         .epsilon = settings_.epsilon,
                         .correction1 = 1.0 - std::pow(settings_.beta1, static_cast<double>(steps_)),
                         .correction2 = 1.0 - std::pow(settings_.beta2, static_cast<double>(steps_)),
                         .clip_norm = settings_.clip_norm,
                         .squared_norm = has_norm_ ? squared_norm_.const_data_ptr<double>() : nullptr};
  for (const Range& range : ranges_) {
    how.learning_rate = learning_rate * range.factor;
    const auto part = [&](const at::Tensor& gradients) { return gradients.narrow(0, range.begin, range.count); };
    const auto part_of_values = [&](const at::Tensor& values) {
      return values.defined() ? values.narrow(0, parameters_.first_trained() + range.begin, range.count) : values;
    };
    ops::with_scalar_type(moment1_, [&]<typename T>(T) {
      ops::kernels_for<T>(moment1_).adamw(
          ops::context_of(moment1_),
          {.value = ops::data<T>(part_of_values(parameters_.values())),
           .gradient = ops::data<const T>(part(parameters_.gradients())),
           .moment1 = ops::data<T>(part(moment1_)),
           .moment2 = ops::data<T>(part(moment2_)),
           .at_rest = range.at_rest.get(),
           .count = range.count,
           .decaying = {ops::data<const std::int64_t>(range.decay_bounds), range.decay_bounds.numel() / 2},
           .rounded = ops::data<kernels::Bfloat16>(part_of_values(rounded))},
          how);
    });
  }
  has_norm_ = false;
}

}  // namespace gausscse
