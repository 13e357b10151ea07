#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/weights/encoder_weights.hpp"

namespace gausscse {

/// Function that is called when nothing will be added any more to `ParameterStore::gradients` from element `first` on,
/// but by another backward.
using GradientReadyCallback = std::function<void(std::int64_t first)>;

/// All parameters of a model back to back in one tensor, and the gradients of the trained ones in another of the same
/// order. So the optimizer, gradient sums over ranks and copies of a state are operations on whole tensors:
///
///     values()        [ held          | trained                          ]
///     gradients()                     [ trained                          ]
///                     0               first_trained()                    values().numel()
///
/// Held parameters have no gradients. Unless `hold_before` is called, all are trained.
class ParameterStore {
 public:
  /// Makes zeroed parameters of the given shapes, in that order; float32 or float64, on any device.
  ParameterStore(std::vector<ParameterSpec> specs, const at::TensorOptions& options);

  const std::vector<ParameterSpec>& specs() const { return specs_; }
  std::size_t size() const { return specs_.size(); }
  /// Returns the first element of parameter `index` in `values()`.
  std::int64_t offset(std::size_t index) const { return offsets_[index]; }
  std::int64_t count(std::size_t index) const { return offsets_[index + 1] - offsets_[index]; }
  /// Returns the index of the parameter called `name`; std::logic_error if there is none.
  std::size_t index_of(const std::string& name) const;

  /// Holds the parameters before element `first`, the beginning of one; before the first call of `gradients`.
  void hold_before(std::int64_t first);
  /// Returns the first element of `values()` that is trained.
  std::int64_t first_trained() const { return first_trained_; }
  bool is_trained(std::size_t index) const { return offsets_[index] >= first_trained_; }

  at::Tensor& values() { return values_; }
  const at::Tensor& values() const { return values_; }
  /// Returns the trained part of `values()`.
  at::Tensor trained_values() const;
  /// Gradients of the trained parameters; allocated, zeroed, on the first call.
  at::Tensor& gradients();
  /// Gradients are from now on in `gradients`, laid out as `trained_values()`.
  void set_gradients(at::Tensor gradients);

  /// Returns the bytes of the values, and of the gradients where there are any.
  std::int64_t bytes() const;

  /// Gives `write` the values of parameter `index` on the CPU, and keeps its changes.
  void write_value(std::size_t index, const std::function<void(at::Tensor on_cpu)>& write);

  /// Returns a view of one parameter in its shape.
  at::Tensor value(const std::string& name) const;
  /// Returns the gradient of a trained parameter, a view of its shape.
  at::Tensor gradient(const std::string& name);
  /// Returns a view of `rows` x `columns` elements from parameter `name` on: parameters that stand side by side, as one
  /// matrix (`columns` 0: as a vector of `rows` elements).
  at::Tensor joined_value(const std::string& name, std::int64_t rows, std::int64_t columns) const;
  at::Tensor joined_gradient(const std::string& name, std::int64_t rows, std::int64_t columns);

 private:
  /// Returns the first element of a trained parameter in `gradients()`.
  std::int64_t gradient_offset(std::size_t index) const;

  std::vector<ParameterSpec> specs_;
  std::vector<std::int64_t> offsets_;
  std::int64_t first_trained_ = 0;
  at::Tensor values_;
  at::Tensor gradients_;
};

}  // namespace gausscse
