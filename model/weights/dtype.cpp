#include "model/weights/dtype.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/error.hpp"
#include "model/weights/safetensors.hpp"

namespace gausscse {

namespace {

struct Properties {
  std::string_view name;
  std::size_t bits;
};

/// Indexed by Dtype.
constexpr std::array<Properties, 22> properties = {{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
}};
static_assert(properties[static_cast<std::size_t>(Dtype::u64)].name == "U64");

float from_bf16(std::uint16_t half) {
  return std::bit_cast<float>(std::uint32_t{half} << 16);
}

float from_f16(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half & 0x8000u} << 16;
  const std::uint32_t magnitude = half & 0x7FFFu;
  if (magnitude >= 0x7C00u) return std::bit_cast<float>(sign | 0x7F800000u | ((magnitude & 0x3FFu) << 13));
  if (magnitude >= 0x0400u) return std::bit_cast<float>(sign | ((magnitude << 13) + (112u << 23)));
  const float subnormal = static_cast<float>(magnitude) * 0x1p-24f;
  return sign ? -subnormal : subnormal;
}

/// Reads elements of `Element`, which may lie unaligned, and converts each.
template <typename Element, typename Convert>
void convert(std::string_view bytes, std::span<float> values, Convert&& to_float) {
  GAUSSCSE_CHECK(bytes.size() == values.size() * sizeof(Element), bytes.size(), " bytes for ", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    Element element;
    std::memcpy(&element, bytes.data() + i * sizeof(Element), sizeof(Element));
    values[i] = to_float(element);
  }
}

}  // namespace

std::string_view dtype_name(Dtype dtype) {
  return properties.at(static_cast<std::size_t>(dtype)).name;
}

std::size_t dtype_bits(Dtype dtype) {
  return properties.at(static_cast<std::size_t>(dtype)).bits;
}

std::optional<Dtype> find_dtype(std::string_view name) {
  for (std::size_t i = 0; i < properties.size(); ++i) {
    if (properties[i].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

void copy_to_float32(const TensorEntry& tensor, std::span<float> values) {
  switch (tensor.dtype) {
    case Dtype::f32:
      GAUSSCSE_CHECK(tensor.bytes.size() == values.size_bytes(), tensor.bytes.size(), " bytes for ", values.size());
      if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), values.size_bytes());
      return;
    case Dtype::f64:
      return convert<double>(tensor.bytes, values, [](double value) { return static_cast<float>(value); });
    case Dtype::f16:
      return convert<std::uint16_t>(tensor.bytes, values, from_f16);
    case Dtype::bf16:
      return convert<std::uint16_t>(tensor.bytes, values, from_bf16);
    default:
      throw InputError(concat("tensor ", quoted(tensor.name), " has the dtype ", dtype_name(tensor.dtype),
                              "; weights are read from F32, F16, BF16 and F64: convert it to one of these"));
  }
}

std::size_t copy_and_count_non_finite(const TensorEntry& tensor, std::span<float> values) {
  // In parts that stay in a core's cache between the two.
  constexpr std::size_t most = 1 << 14;
  if (values.size() <= most) {
    copy_to_float32(tensor, values);
    return count_non_finite(values);
  }
  const std::size_t width = tensor.bytes.size() / values.size();
  GAUSSCSE_CHECK(tensor.bytes.size() == values.size() * width, tensor.bytes.size(), " bytes for ", values.size());
  TensorEntry part = tensor;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += most) {
    const std::size_t size = std::min(most, values.size() - begin);
    part.bytes = tensor.bytes.substr(begin * width, size * width);
    count += copy_and_count_non_finite(part, values.subspan(begin, size));
  }
  return count;
}

std::size_t count_non_finite(std::span<const float> values) {
  constexpr std::uint32_t exponent = 0x7F800000u;
  std::size_t count = 0;
  for (const float value : values) count += (std::bit_cast<std::uint32_t>(value) & exponent) == exponent;
  return count;
}

}  // namespace gausscse
