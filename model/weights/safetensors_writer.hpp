#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/weights/safetensors.hpp"

namespace gausscse {

/// Returns a tensor of float32 values in the caller's memory, for writing. `shape` must multiply to the number of
/// values.
TensorEntry float32_tensor(std::string name, std::vector<std::int64_t> shape, std::span<const float> values);

/// The bytes of a safetensors file, byte for byte those that the format's reference writer makes of the same tensors
/// (with at most one metadata key; it leaves the order of more to chance). The tensors' bytes are not copied and must
/// stay until the file is written: `write_file_atomically(path, image.parts())`.
class SafetensorsImage {
 public:
  /// Throws std::logic_error where a name comes twice or bytes do not fit dtype and shape.
  explicit SafetensorsImage(std::vector<TensorEntry> tensors, const std::map<std::string, std::string>& metadata = {});
  SafetensorsImage(const SafetensorsImage&) = delete;
  SafetensorsImage& operator=(const SafetensorsImage&) = delete;

  /// Returns header, then the data of each tensor; they refer to this object and to the tensors' memory.
  std::span<const std::string_view> parts() const { return parts_; }

 private:
  std::string header_;
  std::vector<std::string_view> parts_;
};

}  // namespace gausscse
