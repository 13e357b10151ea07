#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "model/batch/parameter_store.hpp"

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
  /// Factor of the learning rate of the parameters from element `head` of the store's values on: head and objective.
  double head_factor = 1;
  std::int64_t head = 0;
};

/// AdamW over the trained parameters of a store.
class Optimizer {
 public:
  Optimizer(ParameterStore& parameters, const OptimizerSettings& settings);

  /// Returns the square of the global norm of all gradients, before clipping: float64 [1], on the device of the
  /// parameters.
  const at::Tensor& squared_gradient_norm();
  /// Makes one step with the gradients, which stay as they are. If it clips, it needs their norm: std::logic_error
  /// where `squared_gradient_norm` has not been called since the last step. `rounded`, if defined, gets the new values
  /// in bfloat16, laid out as the values of all parameters; on GPUs only.
  void step(double learning_rate, const at::Tensor& rounded = {});

  /// Returns the moments, laid out as the gradients.
  const at::Tensor& moment1() const { return moment1_; }
  const at::Tensor& moment2() const { return moment2_; }
  /// Returns the bytes of both moments.
  std::int64_t bytes_of_moments() const { return static_cast<std::int64_t>(moment1_.nbytes() + moment2_.nbytes()); }
  /// Goes on as after `steps` steps that left these moments.
  void restore(std::int64_t steps, const at::Tensor& moment1, const at::Tensor& moment2);

 private:
  /// Gradients next to each other whose parameters have one learning rate. A call of the kernel updates them.
  struct Range {
    std::int64_t begin, count;
    double factor;                    ///< factor of the learning rate
    at::Tensor decay_bounds;          ///< bounds of kernels::DecayingRuns, on the device of the parameters
    std::unique_ptr<bool[]> at_rest;  ///< see kernels::AdamWValues; null on GPUs

    std::int64_t blocks() const;
  };

  void add_range(std::int64_t begin, std::int64_t end, double factor);
  /// Marks the blocks of a range whose moments are all 0, after others have been put in their place.
  void mark_blocks_at_rest(const Range& range);

  ParameterStore& parameters_;
  OptimizerSettings settings_;
  at::Tensor moment1_, moment2_;
  std::vector<Range> ranges_;
  at::Tensor squared_norm_;
  bool has_norm_ = false;  ///< it is that of the gradients of the step to come
  std::int64_t steps_ = 0;
};

}  // namespace gausscse
