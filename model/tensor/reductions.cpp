#include <cmath>
#include <limits>

#include "model/tensor/walk.hpp"

namespace at {

namespace {

/// Rows of elements that become one element each, and the sizes of what they become.
struct Rows {
  Tensor elements;  ///< [outputs, elements of each], without gaps
  Tensor::Sizes sizes;
};

/// Arranges the dimensions to be reduced last. `keep` keeps them with size 1.
Rows rows_of(const Tensor& self, IntArrayRef dimensions, bool keep) {
  std::vector<bool> is_reduced(self.sizes().size(), dimensions.empty());
  for (const std::int64_t dimension : dimensions) {
    const std::int64_t place = dimension < 0 ? dimension + self.dim() : dimension;
    require(place >= 0 && place < self.dim(), "a dimension that the tensor does not have");
    is_reduced[static_cast<std::size_t>(place)] = true;
  }
  Tensor::Sizes ordered, strides, sizes;
  std::int64_t outputs = 1, inner = 1;
  for (const bool of_reduced : {false, true})
    for (std::size_t i = 0; i < is_reduced.size(); ++i) {
      if (is_reduced[i] != of_reduced) continue;
      ordered.push_back(self.sizes()[i]);
      strides.push_back(self.strides()[i]);
      (of_reduced ? inner : outputs) *= self.sizes()[i];
    }
  for (std::size_t i = 0; i < is_reduced.size(); ++i)
    if (!is_reduced[i])
      sizes.push_back(self.sizes()[i]);
    else if (keep)
      sizes.push_back(1);
  return {self.as_strided(ordered, strides).contiguous().view({outputs, inner}), sizes};
}

/// Returns function(pointer to the elements, their count) of each row, in elements of `type`.
template <typename Function>
Tensor reduced(const Rows& rows, ScalarType type, const Function& function) {
  Tensor made = empty(rows.sizes, type);
  const std::int64_t count = rows.elements.size(0), length = rows.elements.size(1);
  with_type(rows.elements.scalar_type(), [&](auto element) {
    using T = decltype(element);
    const T* const values = rows.elements.const_data_ptr<T>();
    with_type(type, [&](auto result) {
      auto* const results = made.mutable_data_ptr<decltype(result)>();
#pragma omp parallel for schedule(static) if (rows.elements.numel() > many_elements)
      for (std::int64_t i = 0; i < count; ++i)
        results[i] = static_cast<decltype(result)>(function(values + i * length, length));
    });
  });
  return made;
}

/// Type that elements of type T are added in.
template <typename T>
using Sum = std::conditional_t<std::is_integral_v<T>, std::int64_t, double>;

const auto sum_of = []<typename T>(const T* values, std::int64_t count) {
  Sum<T> sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<Sum<T>>(values[i]);
  return sum;
};
const auto largest_of = []<typename T>(const T* values, std::int64_t count) {
  T largest = values[0];
  for (std::int64_t i = 1; i < count; ++i)
    if (values[i] > largest || values[i] != values[i]) largest = values[i];
  return largest;
};

ScalarType type_of_sum(const Tensor& self, std::optional<ScalarType> type) {
  return type ? *type : is_floating(self.scalar_type()) ? self.scalar_type() : kLong;
}

Tensor brought(const Tensor& self, std::optional<ScalarType> type) {
  return type ? self.to(*type) : self;
}

}  // namespace

Tensor Tensor::sum(IntArrayRef dimensions, bool keep, std::optional<ScalarType> type) const {
  return reduced(rows_of(brought(*this, type), dimensions, keep), type_of_sum(*this, type), sum_of);
}
Tensor Tensor::mean(IntArrayRef dimensions, bool keep, std::optional<ScalarType> type) const {
  require(is_floating(type.value_or(scalar_type())), "mean: elements that are not real numbers");
  return reduced(
      rows_of(brought(*this, type), dimensions, keep), type.value_or(scalar_type()),
      [](const auto* values, std::int64_t count) { return sum_of(values, count) / static_cast<double>(count); });
}

Tensor Tensor::var(std::int64_t dimension, bool unbiased, bool keep) const {
  return reduced(rows_of(*this, {dimension}, keep), scalar_type(), [&](const auto* values, std::int64_t count) {
    const double mean = static_cast<double>(sum_of(values, count)) / static_cast<double>(count);
    double squares = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const double difference = static_cast<double>(values[i]) - mean;
      squares += difference * difference;
    }
    return squares / static_cast<double>(unbiased ? count - 1 : count);
  });
}

Tensor Tensor::max() const {
  return amax({});
}
Tensor Tensor::amax(IntArrayRef dimensions, bool keep) const {
  const Rows rows = rows_of(*this, dimensions, keep);
  require(rows.elements.size(1) > 0 || rows.elements.size(0) == 0, "the largest of no elements");
  return reduced(rows, scalar_type(), largest_of);
}

Tensor Tensor::argmax(std::optional<std::int64_t> dimension, bool keep) const {
  const Rows rows = dimension ? rows_of(*this, {*dimension}, keep) : rows_of(*this, {}, false);
  require(rows.elements.size(1) > 0 || rows.elements.size(0) == 0, "the largest of no elements");
  return reduced(rows, kLong, [](const auto* values, std::int64_t count) {
    std::int64_t best = 0;
    for (std::int64_t i = 1; i < count; ++i)
      if (values[best] == values[best] && (values[i] > values[best] || values[i] != values[i])) best = i;
    return best;
  });
}

Tensor Tensor::all(std::int64_t dimension, bool keep) const {
  return reduced(rows_of(*this, {dimension}, keep), kBool, [](const auto* values, std::int64_t count) {
    return std::all_of(values, values + count, [](auto value) { return value != 0; });
  });
}

Tensor Tensor::log_softmax(std::int64_t dimension) const {
  const Tensor largest = amax({dimension}, true);
  const Tensor shifted = sub(largest);
  return shifted.sub(shifted.exp().sum({dimension}, true).log_());
}

Tensor linalg_vector_norm(const Tensor& self, Scalar order, IntArrayRef dimensions, bool keep,
                          std::optional<ScalarType> type) {
  require(order.to<double>() == 2, "linalg_vector_norm: order 2");
  return reduced(rows_of(brought(self, type), dimensions, keep), type.value_or(self.scalar_type()),
                 [](const auto* values, std::int64_t count) {
                   double squares = 0;
                   for (std::int64_t i = 0; i < count; ++i)
                     squares += static_cast<double>(values[i]) * static_cast<double>(values[i]);
                   return std::sqrt(squares);
                 });
}

}  // namespace at
