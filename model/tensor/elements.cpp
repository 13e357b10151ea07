#include <cmath>

#include "model/tensor/mapping.hpp"

namespace at {

ScalarType joint_type(const Tensor& a, const Tensor& b) {
  const auto kind = [](ScalarType type) { return type == kBool ? 0 : is_floating(type) ? 2 : 1; };
  const auto rank = [](ScalarType type) { return type == kBool ? -1 : static_cast<int>(type); };
  const ScalarType of_a = a.scalar_type(), of_b = b.scalar_type();
  if (kind(of_a) != kind(of_b)) return kind(of_a) > kind(of_b) ? of_a : of_b;
  require(kind(of_a) != 1 || rank(of_a) + rank(of_b) != rank(kByte) + rank(kChar),
          "bytes with and without sign have no type in common");
  if ((a.dim() == 0) != (b.dim() == 0)) return a.dim() == 0 ? of_b : of_a;
  return rank(of_a) > rank(of_b) ? of_a : of_b;
}

Tensor::Sizes joint_sizes(const Tensor& a, const Tensor& b) {
  const Tensor& longer = a.dim() >= b.dim() ? a : b;
  const Tensor& shorter = a.dim() >= b.dim() ? b : a;
  Tensor::Sizes sizes = longer.sizes().vec();
  for (std::int64_t i = 1; i <= shorter.dim(); ++i) {
    std::int64_t& size = sizes[sizes.size() - static_cast<std::size_t>(i)];
    require(size == shorter.size(-i) || size == 1 || shorter.size(-i) == 1, "tensors whose sizes do not go together");
    if (size == 1) size = shorter.size(-i);
  }
  return sizes;
}

namespace {

using namespace mapping;

const auto plus = [](auto x, auto y) { return static_cast<decltype(x)>(x + y); };
const auto minus = [](auto x, auto y) { return static_cast<decltype(x)>(x - y); };
const auto times = [](auto x, auto y) { return static_cast<decltype(x)>(x * y); };
const auto quotient = [](auto x, auto y) { return static_cast<decltype(x)>(x / y); };

const auto negative = [](auto x) { return -x; };
const auto exponential = [](auto x) { return std::exp(x); };
const auto logarithm = [](auto x) { return std::log(x); };
const auto root = [](auto x) { return std::sqrt(x); };
const auto hyperbolic = [](auto x) { return std::tanh(x); };
const auto inverse = [](auto x) { return 1 / x; };

}  // namespace

#define IN_PLACE(name, function)                                    \
  const Tensor& Tensor::name(const Tensor& other) const {           \
    map_pair(*this, *this, other, scalar_type(), function);         \
    return *this;                                                   \
  }                                                                 \
  const Tensor& Tensor::name(Scalar other) const {                  \
    map_pair(*this, *this, number(other), scalar_type(), function); \
    return *this;                                                   \
  }
#define PAIRED(name, function, type)                                       \
  Tensor Tensor::name(const Tensor& other) const {                         \
    return paired(*this, other, type(joint_type(*this, other)), function); \
  }                                                                        \
  Tensor Tensor::name(Scalar value) const {                                \
    const Tensor other = number(value);                                    \
    return paired(*this, other, type(type_with(*this, other)), function);  \
  }
#define MAPPED(name, map, function)       \
  Tensor Tensor::name() const {           \
    return map(*this, function);          \
  }                                       \
  const Tensor& Tensor::name##_() const { \
    map_self(*this, function);            \
    return *this;                         \
  }

PAIRED(add, plus, )
PAIRED(sub, minus, )
PAIRED(mul, times, )
PAIRED(div, quotient, floating)
IN_PLACE(mul_, times)
IN_PLACE(div_, quotient)
MAPPED(neg, mapped, negative)
MAPPED(exp, mapped_real, exponential)
MAPPED(log, mapped_real, logarithm)
MAPPED(sqrt, mapped_real, root)
MAPPED(tanh, mapped_real, hyperbolic)
MAPPED(reciprocal, mapped_real, inverse)

#undef IN_PLACE
#undef PAIRED
#undef MAPPED

const Tensor& Tensor::add_(const Tensor& other, Scalar factor) const {
  map_pair(*this, *this, other, scalar_type(),
           [&](auto x, auto y) { return static_cast<decltype(x)>(x + factor.to<decltype(x)>() * y); });
  return *this;
}
const Tensor& Tensor::add_(Scalar other) const {
  map_pair(*this, *this, number(other), scalar_type(), plus);
  return *this;
}
const Tensor& Tensor::sub_(const Tensor& other, Scalar factor) const {
  map_pair(*this, *this, other, scalar_type(),
           [&](auto x, auto y) { return static_cast<decltype(x)>(x - factor.to<decltype(x)>() * y); });
  return *this;
}
const Tensor& Tensor::sub_(Scalar other) const {
  map_pair(*this, *this, number(other), scalar_type(), minus);
  return *this;
}

Tensor operator-(Scalar a, const Tensor& b) {
  return number(a).sub(b);
}
Tensor operator/(Scalar a, const Tensor& b) {
  return number(a).div(b);
}

Tensor Tensor::abs() const {
  return mapped(*this, [](auto x) { return x < 0 ? -x : x; });
}
Tensor Tensor::square() const {
  return mapped(*this, [](auto x) { return x * x; });
}
Tensor Tensor::relu() const {
  return mapped(*this, [](auto x) { return x < 0 ? decltype(x){0} : x; });
}
Tensor Tensor::sign() const {
  return mapped(*this, [](auto x) { return (x > 0) - (x < 0); });
}
Tensor Tensor::clamp_min(Scalar least) const {
  Tensor made = clone();
  made.clamp_min_(least);
  return made;
}
const Tensor& Tensor::clamp_min_(Scalar least) const {
  map_self(*this, [&](auto x) { return x < least.to<decltype(x)>() ? least.to<decltype(x)>() : x; });
  return *this;
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  return paired(a, b, joint_type(a, b), [](auto x, auto y) { return x > y || x != x ? x : y; });
}

void _foreach_zero_(ArrayRef<Tensor> tensors) {
  for (const Tensor& tensor : tensors) tensor.zero_();
}

}  // namespace at
