#include "experiments/training/optimizer.hpp"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.hpp"
#include "model/kernels/kernels.hpp"
#include "model/ops/device_kernels.hpp"
#include "model/ops/scalar_type.hpp"

namespace gausscse {

namespace {

/// The table of relative position biases is one, as in the Trainer of transformers.
bool is_bias_or_norm(const std::string& name) {
  return name.find("bias") != std::string::npos || name.find("LayerNorm") != std::string::npos;
}

}  // namespace

Optimizer::Optimizer(ParameterStore& parameters, const OptimizerSettings& settings)
    : parameters_(parameters),
      settings_(settings),
      moment1_(at::zeros_like(parameters.values())),
      moment2_(at::zeros_like(parameters.values())),
      squared_norm_(at::zeros({1}, parameters.values().options().dtype(at::kDouble))) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool decays = settings.decay_biases_and_norms || !is_bias_or_norm(parameters.specs()[i].name);
    const double decay = decays ? settings.weight_decay : 0.0;
    const std::int64_t begin = parameters.offset(i), end = begin + parameters.count(i);
    if (!segments_.empty() && segments_.back().weight_decay == decay)
      segments_.back().end = end;
    else
      segments_.push_back({begin, end, decay, {}});
  }
  if (!moment1_.is_cpu()) return;
  for (Segment& part : segments_) {
    const std::int64_t blocks = (part.end - part.begin + kernels::adamw_block - 1) / kernels::adamw_block;
    part.at_rest = std::make_unique<bool[]>(static_cast<std::size_t>(blocks));
    std::fill_n(part.at_rest.get(), blocks, true);
  }
}

void Optimizer::mark_blocks_at_rest() {
  if (!moment1_.is_cpu()) return;
  ops::with_scalar_type(moment1_, [&]<typename T>(T) {
    const auto all_zero = [](const T* x, std::int64_t count) {
      return std::all_of(x, x + count, [](T value) { return value == 0; });
    };
    for (Segment& part : segments_) {
      for (std::int64_t begin = part.begin, block = 0; begin < part.end; begin += kernels::adamw_block, ++block) {
        const std::int64_t count = std::min(kernels::adamw_block, part.end - begin);
        part.at_rest[static_cast<std::size_t>(block)] = all_zero(ops::const_data<T>(moment1_) + begin, count) &&
                                                        all_zero(ops::const_data<T>(moment2_) + begin, count);
      }
    }
  });
}

const at::Tensor& Optimizer::squared_gradient_norm() {
  const at::Tensor& gradients = parameters_.gradients();
  ops::with_scalar_type(gradients, [&]<typename T>(T) {
    ops::kernels_for<T>(gradients).sum_of_squares(ops::context_of(gradients), ops::const_data<T>(gradients),
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

void Optimizer::step(double learning_rate) {
  GAUSSCSE_CHECK(settings_.clip_norm <= 0 || has_norm_, "who clips needs the norm of the gradients");
  ++steps_;
  const double correction1 = 1.0 - std::pow(settings_.beta1, static_cast<double>(steps_));
  const double correction2 = 1.0 - std::pow(settings_.beta2, static_cast<double>(steps_));
  ops::with_scalar_type(parameters_.values(), [&]<typename T>(T) {
    T* value = ops::data<T>(parameters_.values());
    const T* gradient = ops::const_data<T>(parameters_.gradients());
    T* moment1 = ops::data<T>(moment1_);
    T* moment2 = ops::data<T>(moment2_);
    for (const Segment& part : segments_) {
      const kernels::AdamWStep how{.learning_rate = learning_rate,
                                   .weight_decay = part.weight_decay,
                                   .beta1 = settings_.beta1,
                                   .beta2 = settings_.beta2,
                                   .epsilon = settings_.epsilon,
                                   .correction1 = correction1,
                                   .correction2 = correction2,
                                   .clip_norm = settings_.clip_norm,
                                   .squared_norm = has_norm_ ? squared_norm_.const_data_ptr<double>() : nullptr};
      ops::kernels_for<T>(moment1_).adamw(ops::context_of(moment1_),
                                          {.value = value + part.begin,
                                           .gradient = gradient + part.begin,
                                           .moment1 = moment1 + part.begin,
                                           .moment2 = moment2 + part.begin,
                                           .at_rest = part.at_rest.get(),
                                           .count = part.end - part.begin},
                                          how);
    }
  });
  has_norm_ = false;
}

}  // namespace gausscse
