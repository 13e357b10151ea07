#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace gausscse {

/// The element types of safetensors files, in the order in which their writer sorts tensors (last first).
enum class Dtype {
  boolean,
  f4,
  f6_e2m3,
  f6_e3m2,
  u8,
  i8,
  f8_e5m2,
  f8_e4m3,
  f8_e8m0,
  f8_e4m3fnuz,
  f8_e5m2fnuz,
  i16,
  u16,
  f16,
  bf16,
  i32,
  u32,
  f32,
  c64,
  f64,
  i64,
  u64,
};

/// Returns the name in files, as "F32".
std::string_view dtype_name(Dtype dtype);
/// Returns the size of one element in bits: 4, 6, 8, 16, 32 or 64.
std::size_t dtype_bits(Dtype dtype);
/// Returns the type of that name, exactly as files spell it; nothing for an unknown name.
std::optional<Dtype> find_dtype(std::string_view name);

}  // namespace gausscse
