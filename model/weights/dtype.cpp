#include "model/weights/dtype.hpp"

#include <array>

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

}  // namespace gausscse
