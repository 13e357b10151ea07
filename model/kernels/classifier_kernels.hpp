#pragma once

#include <cstdint>

#include "model/kernels/instruction_set.hpp"

namespace gausscse::kernels {

/// Some rows of a matrix of float32, whose rows begin `stride` floats apart; that is a multiple of 16.
struct ChosenRows {
  const float* matrix;
  std::int64_t stride;
  const std::int32_t* rows;
  std::int64_t count;
};

/// A step of an optimizer on the weights of one class: w by gradient = sign * slope + decay * w (torch.optim's coupled
/// weight decay).
struct ClassifierUpdate {
  const float* slope;
  float sign;
  float decay;
  std::int64_t count;
  float* weights;
  float* moment1;  ///< none for RMSprop
  float* moment2;
};

/// Kernels that fits of linear classifiers spend their time in, each on one thread. A row's and a column's results have
/// the same bits next to any other rows and columns.
struct ClassifierKernels {
  /// Computes products[c * count + r] = <row r, weights of column c>, of `columns` times `stride` weights.
  void (*products)(const ChosenRows& x, const float* weights, std::int64_t columns, float* products);
  /// Computes slopes[c * stride + k] = sum over r of factors[c * count + r] * row r[k].
  void (*weighted_sums)(const ChosenRows& x, const float* factors, std::int64_t columns, float* slopes);
  /// Cross entropy's derivative by the logits, in their place, for the mean over `count` examples:
  /// (softmax - 1 at the label) / count. `logits` is [classes, count].
  void (*softmax_slopes)(float* logits, const std::uint32_t* labels, std::int64_t classes, std::int64_t count);
  /// Replaces the differences of the logits of two classes, [count], by slopes: (sigmoid - label) / count.
  void (*sigmoid_slopes)(float* differences, const std::uint32_t* labels, std::int64_t count);
  /// Makes a step of torch.optim.Adam with its defaults, `step` from 1 on.
  void (*adam)(const ClassifierUpdate& update, std::int64_t step);
  /// Makes a step of torch.optim.RMSprop with its defaults.
  void (*rmsprop)(const ClassifierUpdate& update);
};

inline const ClassifierKernels& classifier_kernels() {
  return table_of_instruction_set<ClassifierKernels>();
}

}  // namespace gausscse::kernels
