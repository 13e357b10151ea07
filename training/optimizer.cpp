#include "training/optimizer.hpp"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/kernels/kernels.hpp"
#include "model/ops/device_kernels.hpp"
#include "model/ops/transfers.hpp"

namespace gausscse {

namespace {

/// Returns whether a parameter is a bias or a norm's. The table of relative position biases is one, as in the Trainer
/// of transformers.
bool is_bias_or_norm(const std::string& name) {
  return name.find("bias") != std::string::npos || name.find("LayerNorm") != std::string::npos;
}

/// Returns where runs of parameters that decay begin and end, see kernels::DecayingRuns.
at::Tensor decay_bounds(const ParameterStore& parameters, bool decay_biases_and_norms) {
  std::vector<std::int64_t> bounds;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool decays = decay_biases_and_norms || !is_bias_or_norm(parameters.specs()[i].name);
    const bool in_run = bounds.size() % 2 == 1;
    if (decays != in_run) bounds.push_back(parameters.offset(i));
  }
  if (bounds.size() % 2 == 1) bounds.push_back(parameters.values().numel());
  return at::tensor(bounds, at::kLong);
}

std::int64_t blocks_of(const at::Tensor& values) {
  return (values.numel() + kernels::adamw_block - 1) / kernels::adamw_block;
}

}  // namespace

Optimizer::Optimizer(ParameterStore& parameters, const OptimizerSettings& settings)
    : parameters_(parameters),
      settings_(settings),
      decay_bounds_(
          ops::to_device(decay_bounds(parameters, settings.decay_biases_and_norms), parameters.values().device())),
      moment1_(at::zeros_like(parameters.values())),
      moment2_(at::zeros_like(parameters.values())),
      squared_norm_(at::zeros({1}, parameters.values().options().dtype(at::kDouble))) {
  if (!moment1_.is_cpu()) return;
  at_rest_ = std::make_unique<bool[]>(static_cast<std::size_t>(blocks_of(moment1_)));
  std::fill_n(at_rest_.get(), blocks_of(moment1_), true);
}

void Optimizer::mark_blocks_at_rest() {
  if (!moment1_.is_cpu()) return;
  ops::with_scalar_type(moment1_, [&]<typename T>(T) {
    const auto all_zero = [](const T* x, std::int64_t count) {
      return std::all_of(x, x + count, [](T value) { return value == 0; });
    };
    for (std::int64_t block = 0; block < blocks_of(moment1_); ++block) {
      const std::int64_t begin = block * kernels::adamw_block;
      const std::int64_t count = std::min(kernels::adamw_block, moment1_.numel() - begin);
      at_rest_[static_cast<std::size_t>(block)] = all_zero(ops::data<const T>(moment1_) + begin, count) &&
                                                  all_zero(ops::data<const T>(moment2_) + begin, count);
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
  mark_blocks_at_rest();
}

void Optimizer::step(double learning_rate, const at::Tensor& rounded) {
  GAUSSCSE_CHECK(settings_.clip_norm <= 0 || has_norm_, "clipping needs the norm of the gradients");
  ++steps_;
  const kernels::AdamWStep how{.learning_rate = learning_rate,
                               .weight_decay = settings_.weight_decay,
                               .beta1 = settings_.beta1,
                               .beta2 = settings_.beta2,
                               .epsilon = settings_.epsilon,
                               .correction1 = 1.0 - std::pow(settings_.beta1, static_cast<double>(steps_)),
                               .correction2 = 1.0 - std::pow(settings_.beta2, static_cast<double>(steps_)),
                               .clip_norm = settings_.clip_norm,
                               .squared_norm = has_norm_ ? squared_norm_.const_data_ptr<double>() : nullptr};
  ops::with_scalar_type(parameters_.values(), [&]<typename T>(T) {
    ops::kernels_for<T>(moment1_).adamw(
        ops::context_of(moment1_),
        {.value = ops::data<T>(parameters_.values()),
         .gradient = ops::data<const T>(parameters_.gradients()),
         .moment1 = ops::data<T>(moment1_),
         .moment2 = ops::data<T>(moment2_),
         .at_rest = at_rest_.get(),
         .count = moment1_.numel(),
         .decaying = {ops::data<const std::int64_t>(decay_bounds_), decay_bounds_.numel() / 2},
         .rounded = ops::data<kernels::Bfloat16>(rounded)},
        how);
  });
  has_norm_ = false;
}

}  // namespace gausscse
