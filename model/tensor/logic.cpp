#include <cmath>
#include <limits>

#include "model/tensor/mapping.hpp"

namespace at {

namespace {

using namespace mapping;

const auto equal = [](auto x, auto y) { return x == y; };
const auto unequal = [](auto x, auto y) { return x != y; };
const auto greater = [](auto x, auto y) { return x > y; };
const auto both = [](auto x, auto y) { return x && y; };
const auto either = [](auto x, auto y) { return x || y; };

}  // namespace

Tensor Tensor::eq(const Tensor& other) const {
  return compared(*this, other, equal);
}
Tensor Tensor::ne(const Tensor& other) const {
  return compared(*this, other, unequal);
}
Tensor Tensor::logical_and(const Tensor& other) const {
  return compared(*this, other, both);
}
Tensor Tensor::logical_or(const Tensor& other) const {
  return compared(*this, other, either);
}
Tensor Tensor::eq(Scalar other) const {
  return compared(*this, number(other), equal);
}
Tensor Tensor::ne(Scalar other) const {
  return compared(*this, number(other), unequal);
}
Tensor Tensor::gt(Scalar other) const {
  return compared(*this, number(other), greater);
}
const Tensor& Tensor::logical_and_(const Tensor& other) const {
  return copy_(logical_and(other));
}
const Tensor& Tensor::logical_not_() const {
  return copy_(eq(0));
}

Tensor Tensor::isfinite() const {
  return compared(*this, *this, [](auto x, auto) { return std::isfinite(static_cast<double>(x)); });
}

const Tensor& Tensor::nan_to_num_(std::optional<double> nan, std::optional<double> positive,
                                  std::optional<double> negative_infinity) const {
  map_self(*this, [&](auto x) {
    using T = decltype(x);
    const auto value = static_cast<double>(x);
    if (std::isnan(value)) return static_cast<T>(nan.value_or(0));
    if (!std::isinf(value)) return x;
    return value > 0           ? positive ? static_cast<T>(*positive) : std::numeric_limits<T>::max()
                     : negative_infinity ? static_cast<T>(*negative_infinity)
                               : std::numeric_limits<T>::lowest();
  });
  return *this;
}

Tensor where(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  require(condition.scalar_type() == kBool, "where: a condition that is not bool");
  const ScalarType type = joint_type(yes, no);
  Tensor made = empty(joint_sizes(condition, empty(joint_sizes(yes, no), type)), type);
  const Tensor is_yes = condition.expand(made.sizes());
  const Tensor if_yes = yes.to(type).expand(made.sizes()), if_no = no.to(type).expand(made.sizes());
  with_type(type, [&](auto element) {
    using T = decltype(element);
    map_to<T, bool, T, T>(
        made, [](bool is, T a, T b) { return is ? a : b; }, is_yes, if_yes, if_no);
  });
  return made;
}

Tensor Tensor::masked_fill(const Tensor& mask, Scalar value) const {
  return where(mask, full({}, value, options()), *this);
}
const Tensor& Tensor::masked_fill_(const Tensor& mask, Scalar value) const {
  return copy_(masked_fill(mask, value));
}

}  // namespace at
