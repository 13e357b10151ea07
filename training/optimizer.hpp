#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "model/encoder/parameter_store.hpp"

namespace gausscse {

struct OptimizerSettings {
  double weight_decay = 0.01;
  /// True: decay acts on every parameter, as the released program has it (its exclusion list excludes nothing). False:
  /// biases and layer norms are left out.
  bool decay_biases_and_norms = true;
  double clip_norm = 0;  ///< gradients are scaled down to this global norm; 0: never
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

/// AdamW over all parameters of a store.
class Optimizer {
 public:
  Optimizer(ParameterStore& parameters, const OptimizerSettings& settings);

  /// Returns the square of the gradients' global norm, before clipping: float64 [1], on the device of the parameters.
  const at::Tensor& squared_gradient_norm();
  /// Makes one step with the gradients, which stay as they are. If it clips, it needs their norm: std::logic_error
  /// where `squared_gradient_norm` has not been called since the last step. `rounded`, if defined, gets the new values
  /// in bfloat16; on GPUs only.
  void step(double learning_rate, const at::Tensor& rounded = {});

  const at::Tensor& moment1() const { return moment1_; }
  const at::Tensor& moment2() const { return moment2_; }
  /// Returns what both take.
  std::int64_t bytes_of_moments() const { return static_cast<std::int64_t>(moment1_.nbytes() + moment2_.nbytes()); }
  /// Goes on as after `steps` steps that left these moments.
  void restore(std::int64_t steps, const at::Tensor& moment1, const at::Tensor& moment2);

 private:
  /// Marks the blocks whose moments are all 0, after others have been put in their place.
  void mark_blocks_at_rest();

  ParameterStore& parameters_;
  OptimizerSettings settings_;
  at::Tensor decay_bounds_;  ///< bounds of kernels::DecayingRuns, on the device of the parameters
  at::Tensor moment1_, moment2_;
  std::unique_ptr<bool[]> at_rest_;  ///< see kernels::AdamWValues; null on GPUs
  at::Tensor squared_norm_;
  bool has_norm_ = false;  ///< it is that of the gradients of the step to come
  std::int64_t steps_ = 0;
};

}  // namespace gausscse
