#pragma once

#include "model/tensor/walk.hpp"

/// Functions of elements by themselves, and of two tensors' elements that are brought to one type and one size.
namespace at::mapping {

/// Type that elements of type T are computed in.
template <typename T>
using Wide =
    std::conditional_t<std::is_same_v<T, BFloat16>, float, std::conditional_t<std::is_same_v<T, bool>, int, T>>;

inline ScalarType floating(ScalarType type) {
  return is_floating(type) ? type : kFloat;
}

template <typename Function>
void map_self(const Tensor& self, const Function& function) {
  with_type(self.scalar_type(), [&](auto element) {
    using T = decltype(element);
    map_to<T, T>(
        self, [&](T value) { return function(static_cast<Wide<T>>(value)); }, self);
  });
}

/// Returns function of each element, of the tensor's type.
template <typename Function>
Tensor mapped(const Tensor& self, const Function& function) {
  Tensor made = self.clone();
  map_self(made, function);
  return made;
}

/// Returns function of each element, in a type of real numbers.
template <typename Function>
Tensor mapped_real(const Tensor& self, const Function& function) {
  Tensor made = self.to(floating(self.scalar_type()), false, true);
  map_self(made, function);
  return made;
}

/// Writes function of the elements of a and b, brought to `type`, to `out`, of elements of that type or bool.
template <typename Function>
void map_pair(const Tensor& out, const Tensor& a, const Tensor& b, ScalarType type, const Function& function) {
  const Tensor left = a.to(type).expand(out.sizes()), right = b.to(type).expand(out.sizes());
  with_type(type, [&](auto element) {
    using T = decltype(element);
    const auto of_type = [&](T x, T y) { return function(static_cast<Wide<T>>(x), static_cast<Wide<T>>(y)); };
    if (out.scalar_type() == kBool)
      map_to<bool, T, T>(out, of_type, left, right);
    else
      map_to<T, T, T>(out, of_type, left, right);
  });
}

template <typename Function>
Tensor paired(const Tensor& a, const Tensor& b, ScalarType type, const Function& function) {
  Tensor made = empty(joint_sizes(a, b), type);
  map_pair(made, a, b, type, function);
  return made;
}

template <typename Function>
Tensor compared(const Tensor& a, const Tensor& b, const Function& function) {
  Tensor made = empty(joint_sizes(a, b), kBool);
  map_pair(made, a, b, joint_type(a, b), function);
  return made;
}

/// Number as a tensor without dimensions, which goes with the other tensor's type.
inline Tensor number(Scalar value) {
  return full({}, value, value.is_whole() ? kLong : kDouble);
}
/// Returns the type of a tensor joined with a number; a whole tensor with a real number is float32.
inline ScalarType type_with(const Tensor& a, const Tensor& b) {
  const ScalarType type = joint_type(a, b);
  return type == kDouble && a.scalar_type() != kDouble && b.dim() == 0 ? kFloat : type;
}

}  // namespace at::mapping
