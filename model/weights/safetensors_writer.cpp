#include "model/weights/safetensors_writer.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Orders wider types first, so that all data is aligned; then by name.
bool written_before(const TensorEntry& a, const TensorEntry& b) {
  return a.dtype != b.dtype ? a.dtype > b.dtype : a.name < b.name;
}

void check_size(const TensorEntry& tensor) {
  std::size_t bits = dtype_bits(tensor.dtype);
  for (const std::int64_t extent : tensor.shape) {
    GAUSSCSE_CHECK(extent >= 0 && !__builtin_mul_overflow(bits, static_cast<std::size_t>(extent), &bits), tensor.name);
  }
  GAUSSCSE_CHECK(bits % 8 == 0 && tensor.bytes.size() == bits / 8, "tensor ", tensor.name, " has ", tensor.bytes.size(),
                 " bytes, its shape takes ", bits, " bits");
}

}  // namespace

TensorEntry float32_tensor(std::string name, std::vector<std::int64_t> shape, std::span<const float> values) {
  return {std::move(name),
          Dtype::f32,
          std::move(shape),
          {reinterpret_cast<const char*>(values.data()), values.size_bytes()}};
}

SafetensorsImage::SafetensorsImage(std::vector<TensorEntry> tensors,
                                   const std::map<std::string, std::string>& metadata) {
  std::sort(tensors.begin(), tensors.end(), written_before);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::size_t position = 0;
  for (const TensorEntry& tensor : tensors) {
    check_size(tensor);
    const std::size_t end = position + tensor.bytes.size();
    nlohmann::ordered_json entry;
    entry["dtype"] = dtype_name(tensor.dtype);
    entry["shape"] = tensor.shape;
    entry["data_offsets"] = {position, end};
    header.push_back({tensor.name, std::move(entry)});
    position = end;
  }
  GAUSSCSE_CHECK(header.size() == tensors.size() + (metadata.empty() ? 0 : 1), "two tensors have the same name");
  const std::string text = header.dump();
  // Padded with spaces, so that the data begins at a multiple of 8.
  const std::uint64_t length = (text.size() + 7) / 8 * 8;
  header_.resize(8);
  std::memcpy(header_.data(), &length, 8);
  header_ += text;
  header_.resize(8 + static_cast<std::size_t>(length), ' ');

  parts_.push_back(header_);
  for (const TensorEntry& tensor : tensors) parts_.push_back(tensor.bytes);
}

}  // namespace gausscse
