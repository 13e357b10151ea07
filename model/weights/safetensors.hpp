#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "model/weights/dtype.hpp"

namespace gausscse {

/// One tensor of a safetensors file: row-major, little-endian elements, not necessarily aligned.
struct TensorEntry {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::int64_t> shape;  ///< empty for a single value
  std::string_view bytes;           ///< in the memory of the file it was read from
};

/// Writes the tensor's values, from F32, F16, BF16 (all exact) or F64 (rounded to nearest), to `values`, which must
/// have as many elements. Throws InputError, naming the tensor, for another dtype.
void copy_to_float32(const TensorEntry& tensor, std::span<float> values);

/// Copies the values of a tensor, and returns the number of infinite or NaN ones: `count_non_finite(values)`.
std::size_t copy_and_count_non_finite(const TensorEntry& tensor, std::span<float> values);

/// Returns the number of values that are infinite or NaN.
std::size_t count_non_finite(std::span<const float> values);

/// Content of a safetensors file.
struct SafetensorsContent {
  std::vector<TensorEntry> tensors;  ///< in the order of their bytes
  std::map<std::string, std::string> metadata;
};

/// Reads the bytes of a whole safetensors file; the entries refer to `bytes`. Throws InputError where a rule of the
/// format is broken. The header has a length and bounds, and is a UTF-8 JSON object without double keys at its first
/// byte. Metadata are strings, dtypes are known, sizes overflow no counter and agree with the byte ranges. Ranges cover
/// the data without hole or overlap. Two limits are our own: 100,000 tensors, and 1 KiB a name. Keys of an entry beyond
/// dtype, shape and data_offsets are ignored, as the format's reference reader does; values are not looked at.
SafetensorsContent parse_safetensors(std::string_view bytes, std::string_view source_name);

/// A safetensors file mapped into memory.
class SafetensorsFile {
 public:
  /// Throws InputError for an unreadable file and as `parse_safetensors`.
  static SafetensorsFile open(const std::filesystem::path& path, Links links = Links::followed);

  SafetensorsFile(SafetensorsFile&&) = default;
  SafetensorsFile& operator=(SafetensorsFile&&) = default;

  /// Returns the tensors in the order of their bytes.
  const std::vector<TensorEntry>& tensors() const { return content_.tensors; }
  /// Returns the tensor of that name, or null.
  const TensorEntry* find(std::string_view name) const;
  const std::map<std::string, std::string>& metadata() const { return content_.metadata; }

 private:
  SafetensorsFile(MappedFile file, SafetensorsContent content) : file_(std::move(file)), content_(std::move(content)) {}

  MappedFile file_;
  SafetensorsContent content_;
};

}  // namespace gausscse
