#include <cmath>
#include <functional>
#include <limits>

#include "tensor/walk.hpp"

namespace at {

ScalarType joint_type(const Tensor& a, const Tensor& b) {
  const auto kind = [](ScalarType type) { return type == kBool ? 0 : is_floating(type) ? 2 : 1; };
  const auto rank = [](ScalarType type) { return type == kBool ? -1 : static_cast<int>(type); };
  const ScalarType of_a = a.scalar_type(), of_b = b.scalar_type();
  if (kind(of_a) != kind(of_b)) return kind(of_a) > kind(of_b) ? of_a : of_b;
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

/// Type that elements of type T are computed in.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, BFloat16>, float, std::conditional_t<std::is_same_v<T, bool>, int, T>>;

ScalarType floating(ScalarType type) {
  return is_floating(type) ? type : kFloat;
}

template <typename Function>
void map_self(const Tensor& self, const Function& function) {
  with_type(self.scalar_type(), [&](auto element) {
    using T = decltype(element);
    map_to<T, T>(self, [&](T value) { return function(static_cast<Wide<T>>(value)); }, self);
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
Tensor number(Scalar value) {
  return full({}, value, value.is_whole() ? kLong : kDouble);
}
/// Type of a real number beside a tensor.
ScalarType type_with(const Tensor& a, const Tensor& b) {
  const ScalarType type = joint_type(a, b);
  return type == kDouble && a.scalar_type() != kDouble && b.dim() == 0 && !is_floating(a.scalar_type()) ? kFloat : type;
}

const auto plus = [](auto x, auto y) { return static_cast<decltype(x)>(x + y); };
const auto minus = [](auto x, auto y) { return static_cast<decltype(x)>(x - y); };
const auto times = [](auto x, auto y) { return static_cast<decltype(x)>(x * y); };
const auto quotient = [](auto x, auto y) { return static_cast<decltype(x)>(x / y); };
const auto equal = [](auto x, auto y) { return x == y; };
const auto unequal = [](auto x, auto y) { return x != y; };
const auto greater = [](auto x, auto y) { return x > y; };
const auto both = [](auto x, auto y) { return x && y; };
const auto either = [](auto x, auto y) { return x || y; };

const auto negative = [](auto x) { return -x; };
const auto exponential = [](auto x) { return std::exp(x); };
const auto logarithm = [](auto x) { return std::log(x); };
const auto root = [](auto x) { return std::sqrt(x); };
const auto hyperbolic = [](auto x) { return std::tanh(x); };
const auto inverse = [](auto x) { return 1 / x; };

}  // namespace

#define IN_PLACE(name, function)                                                        \
  const Tensor& Tensor::name(const Tensor& other) const {                               \
    map_pair(*this, *this, other, scalar_type(), function);                             \
    return *this;                                                                       \
  }                                                                                     \
  const Tensor& Tensor::name(Scalar other) const {                                      \
    map_pair(*this, *this, number(other), scalar_type(), function);                     \
    return *this;                                                                       \
  }
#define PAIRED(name, function, type)                                                    \
  Tensor Tensor::name(const Tensor& other) const {                                      \
    return paired(*this, other, type(joint_type(*this, other)), function);              \
  }                                                                                     \
  Tensor Tensor::name(Scalar value) const {                                             \
    const Tensor other = number(value);                                                 \
    return paired(*this, other, type(type_with(*this, other)), function);               \
  }
#define COMPARED(name, function)                                                        \
  Tensor Tensor::name(const Tensor& other) const { return compared(*this, other, function); }
#define MAPPED(name, map, function)                                                     \
  Tensor Tensor::name() const { return map(*this, function); }                          \
  const Tensor& Tensor::name##_() const {                                               \
    map_self(*this, function);                                                          \
    return *this;                                                                       \
  }

PAIRED(add, plus, )
PAIRED(sub, minus, )
PAIRED(mul, times, )
PAIRED(div, quotient, floating)
IN_PLACE(mul_, times)
IN_PLACE(div_, quotient)
COMPARED(eq, equal)
COMPARED(ne, unequal)
COMPARED(logical_and, both)
COMPARED(logical_or, either)
MAPPED(neg, mapped, negative)
MAPPED(exp, mapped_real, exponential)
MAPPED(log, mapped_real, logarithm)
MAPPED(sqrt, mapped_real, root)
MAPPED(tanh, mapped_real, hyperbolic)
MAPPED(reciprocal, mapped_real, inverse)

#undef IN_PLACE
#undef PAIRED
#undef COMPARED
#undef MAPPED

const Tensor& Tensor::add_(const Tensor& other, Scalar factor) const {
  map_pair(*this, *this, other, scalar_type(), [&](auto x, auto y) {
    return static_cast<decltype(x)>(x + factor.to<decltype(x)>() * y);
  });
  return *this;
}
const Tensor& Tensor::add_(Scalar other) const {
  map_pair(*this, *this, number(other), scalar_type(), plus);
  return *this;
}
const Tensor& Tensor::sub_(const Tensor& other, Scalar factor) const {
  map_pair(*this, *this, other, scalar_type(), [&](auto x, auto y) {
    return static_cast<decltype(x)>(x - factor.to<decltype(x)>() * y);
  });
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
Tensor Tensor::isfinite() const {
  return compared(*this, *this, [](auto x, auto) { return std::isfinite(static_cast<double>(x)); });
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

const Tensor& Tensor::nan_to_num_(std::optional<double> nan, std::optional<double> positive,
                                  std::optional<double> negative_infinity) const {
  map_self(*this, [&](auto x) {
    using T = decltype(x);
    const auto value = static_cast<double>(x);
    if (std::isnan(value)) return static_cast<T>(nan.value_or(0));
    if (!std::isinf(value)) return x;
    return value > 0 ? positive ? static_cast<T>(*positive) : std::numeric_limits<T>::max()
                     : negative_infinity ? static_cast<T>(*negative_infinity) : std::numeric_limits<T>::lowest();
  });
  return *this;
}

Tensor where(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  require(condition.scalar_type() == kBool, "where: a condition that is not bool");
  const ScalarType type = joint_type(yes, no);
  Tensor made = empty(joint_sizes(condition, paired(yes, no, type, plus)), type);
  const Tensor is_yes = condition.expand(made.sizes());
  const Tensor if_yes = yes.to(type).expand(made.sizes()), if_no = no.to(type).expand(made.sizes());
  with_type(type, [&](auto element) {
    using T = decltype(element);
    map_to<T, bool, T, T>(made, [](bool is, T a, T b) { return is ? a : b; }, is_yes, if_yes, if_no);
  });
  return made;
}

Tensor Tensor::masked_fill(const Tensor& mask, Scalar value) const {
  return where(mask, full({}, value, options()), *this);
}
const Tensor& Tensor::masked_fill_(const Tensor& mask, Scalar value) const {
  return copy_(masked_fill(mask, value));
}

Tensor maximum(const Tensor& a, const Tensor& b) {
  return paired(a, b, joint_type(a, b), [](auto x, auto y) { return x > y || x != x ? x : y; });
}

void _foreach_zero_(ArrayRef<Tensor> tensors) {
  for (const Tensor& tensor : tensors) tensor.zero_();
}

}  // namespace at
