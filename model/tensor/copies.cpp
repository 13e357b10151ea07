#include <cstring>

#include "model/tensor/walk.hpp"

namespace at {

namespace {

template <typename To, typename From>
To converted(From value) {
  if constexpr (std::is_same_v<To, bool>)
    return static_cast<float>(value) != 0;
  else if constexpr (std::is_same_v<To, BFloat16>)
    return BFloat16(static_cast<float>(value));
  else
    return static_cast<To>(value);
}

}  // namespace

const Tensor& Tensor::copy_(const Tensor& source, bool) const {
  const Tensor from = source.sizes() == sizes() ? source : source.expand(sizes());
  if (scalar_type() == from.scalar_type() && is_contiguous() && from.is_contiguous() && nbytes() < many_elements) {
    if (numel() > 0) std::memmove(mutable_data_ptr(), from.const_data_ptr(), nbytes());
    return *this;
  }
  with_type(scalar_type(), [&](auto to_element) {
    with_type(from.scalar_type(), [&](auto from_element) {
      using To = decltype(to_element);
      using From = decltype(from_element);
      map_to<To, From>(
          *this, [](From value) { return converted<To>(value); }, from);
    });
  });
  return *this;
}

Tensor Tensor::clone(MemoryFormat) const {
  Tensor made = empty_like(*this);
  made.copy_(*this);
  return made;
}

Tensor Tensor::to(ScalarType type, bool, bool copy) const {
  if (type == scalar_type() && !copy) return *this;
  Tensor made = empty(sizes(), type);
  made.copy_(*this);
  return made;
}

Tensor Tensor::to(Device device, ScalarType type, bool non_blocking, bool copy) const {
  require(device.is_cpu(), "a program without LibTorch has no tensors on GPUs");
  return to(type, non_blocking, copy);
}

const Tensor& Tensor::fill_(Scalar value) const {
  with_type(scalar_type(), [&](auto element) {
    using T = decltype(element);
    map_to<T>(*this, [of_type = value.to<T>()] { return of_type; });
  });
  return *this;
}

namespace detail {

Generator createCPUGenerator(std::uint64_t seed) {
  return Generator(static_cast<std::uint32_t>(seed));
}

}  // namespace detail

const Tensor& Tensor::uniform_(double from, double to, Generator& generator) const {
  require(scalar_type() == kFloat && is_contiguous(), "uniform_: float32 without gaps");
  auto* values = mutable_data_ptr<float>();
  const auto begin = static_cast<float>(from), end = static_cast<float>(to);
  for (std::int64_t i = 0; i < numel(); ++i)
    values[i] = static_cast<float>(generator() & 0xFFFFFF) * 0x1p-24F * (end - begin) + begin;
  return *this;
}

Tensor cat(ArrayRef<Tensor> tensors, std::int64_t dimension) {
  require(!tensors.empty(), "cat: no tensor");
  const Tensor& first = tensors[0];
  Tensor::Sizes sizes = first.sizes().vec();
  const auto place = static_cast<std::size_t>(dimension < 0 ? dimension + first.dim() : dimension);
  require(place < sizes.size(), "cat: a dimension that the tensors do not have");
  sizes[place] = 0;
  for (const Tensor& tensor : tensors) {
    require(tensor.dim() == first.dim() && tensor.scalar_type() == first.scalar_type(), "cat: tensors of one kind");
    sizes[place] += tensor.size(dimension);
  }
  Tensor joined = empty(sizes, first.options());
  std::int64_t begin = 0;
  for (const Tensor& tensor : tensors) {
    const Tensor part = joined.narrow(dimension, begin, tensor.size(dimension));
    require(part.sizes() == tensor.sizes(), "cat: tensors of the same other sizes");
    part.copy_(tensor);
    begin += tensor.size(dimension);
  }
  return joined;
}

}  // namespace at
