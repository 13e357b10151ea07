#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/weights/dtype.hpp"
#include "model/weights/safetensors.hpp"
#include "model/weights/safetensors_writer.hpp"

namespace {

using gausscse::Dtype;
using gausscse::TensorEntry;

/// Bits of an element, as the format's description has them.
constexpr std::array<std::pair<std::string_view, std::uint64_t>, 22> bits_of_dtypes{{
    {"BOOL", 8},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},     {"U8", 8},          {"I8", 8},
    {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}, {"I16", 16},
    {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},        {"U32", 32},        {"F32", 32},
    {"C64", 64},    {"F64", 64},    {"I64", 64},    {"U64", 64},
}};

void require(bool condition) {
  if (!condition) std::abort();
}

template <typename T>
T value_at(std::string_view bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

/// Returns a half by the definition of binary16.
float half_value(std::uint16_t half) {
  const int exponent = half >> 10 & 31, mantissa = half & 1023;
  float value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                              : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  if (exponent == 31)
    value = mantissa == 0 ? std::numeric_limits<float>::infinity() : std::numeric_limits<float>::quiet_NaN();
  return half >> 15 ? -value : value;
}

/// Returns element `i` of a tensor of floats, as float32.
float expected_value(const TensorEntry& tensor, std::size_t i) {
  switch (tensor.dtype) {
    case Dtype::f16:
      return half_value(value_at<std::uint16_t>(tensor.bytes, i));
    case Dtype::bf16: {
      const std::uint32_t bits = std::uint32_t{value_at<std::uint16_t>(tensor.bytes, i)} << 16;
      float value;
      std::memcpy(&value, &bits, sizeof value);
      return value;
    }
    case Dtype::f32:
      return value_at<float>(tensor.bytes, i);
    default:
      return static_cast<float>(value_at<double>(tensor.bytes, i));
  }
}

void check_values(const TensorEntry& tensor) {
  std::vector<float> values(tensor.bytes.size() * 8 / gausscse::dtype_bits(tensor.dtype));
  gausscse::copy_to_float32(tensor, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float expected = expected_value(tensor, i);
    require(std::isnan(expected) ? std::isnan(values[i])
                                 : values[i] == expected && std::signbit(values[i]) == std::signbit(expected));
  }
}

/// Compares the tensor with the header's own words about it: where it lies, and that its size is that of its shape.
void check_tensor(const TensorEntry& tensor, const nlohmann::json& header, std::string_view data) {
  const auto described = header.find(tensor.name);
  require(described != header.end() && tensor.name != "__metadata__");
  require(described->at("shape").get<std::vector<std::int64_t>>() == tensor.shape);
  const auto name = described->at("dtype").get<std::string>();
  const auto* const dtype = std::find_if(bits_of_dtypes.begin(), bits_of_dtypes.end(),
                                         [&](const auto& known) { return known.first == name; });
  require(dtype != bits_of_dtypes.end() && gausscse::dtype_name(tensor.dtype) == name);
  require(gausscse::dtype_bits(tensor.dtype) == dtype->second);

  const auto begin = described->at("data_offsets").at(0).get<std::uint64_t>();
  const auto end = described->at("data_offsets").at(1).get<std::uint64_t>();
  require(begin <= end && end <= data.size());
  require(tensor.bytes.size() == end - begin && tensor.bytes.data() == data.data() + begin);
  // Larger than any file long before it overflows, except for extents of zero.
  unsigned __int128 bits = dtype->second;
  const bool is_empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  for (const std::int64_t extent : tensor.shape) {
    require(extent >= 0);
    if (is_empty) continue;
    bits *= static_cast<std::uint64_t>(extent);
    require(bits <= 8 * static_cast<unsigned __int128>(data.size()));
  }
  require(is_empty ? tensor.bytes.empty() : bits == 8 * static_cast<unsigned __int128>(tensor.bytes.size()));
}

void check_content(const gausscse::SafetensorsContent& content, std::string_view file) {
  const auto header_bytes = value_at<std::uint64_t>(file, 0);
  require(header_bytes <= file.size() - 8);
  const std::string_view data = file.substr(8 + static_cast<std::size_t>(header_bytes));
  const nlohmann::json header = nlohmann::json::parse(file.substr(8, static_cast<std::size_t>(header_bytes)));
  const auto metadata = header.find("__metadata__");
  require(content.tensors.size() + (metadata == header.end() ? 0 : 1) == header.size());
  require(content.metadata == (metadata == header.end() ? std::map<std::string, std::string>()
                                                        : metadata->get<std::map<std::string, std::string>>()));
  // Tensors lie next to each other, in the order of their bytes, from the first to the last byte.
  const char* next = data.data();
  for (const TensorEntry& tensor : content.tensors) {
    check_tensor(tensor, header, data);
    require(tensor.bytes.data() == next);
    next += tensor.bytes.size();
    if (tensor.dtype == Dtype::f16 || tensor.dtype == Dtype::bf16 || tensor.dtype == Dtype::f32 ||
        tensor.dtype == Dtype::f64)
      check_values(tensor);
  }
  require(next == data.data() + data.size());
}

std::map<std::string, const TensorEntry*> by_name(const std::vector<TensorEntry>& tensors) {
  std::map<std::string, const TensorEntry*> sorted;
  for (const TensorEntry& tensor : tensors) sorted.emplace(tensor.name, &tensor);
  return sorted;
}

}  // namespace

/// Checks an accepted file: its content is that of its header by a lenient reader of JSON, it converts to the values of
/// its dtypes, and it is read back the same when written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const gausscse::SafetensorsContent content = gausscse::parse_safetensors(bytes, "input");
    check_content(content, bytes);

    std::string written;
    const gausscse::SafetensorsImage image(content.tensors, content.metadata);
    for (const std::string_view part : image.parts()) written += part;
    const gausscse::SafetensorsContent again = gausscse::parse_safetensors(written, "written");
    check_content(again, written);
    require(again.tensors.size() == content.tensors.size() && again.metadata == content.metadata);
    const auto read = by_name(content.tensors), read_again = by_name(again.tensors);
    require(std::equal(read.begin(), read.end(), read_again.begin(), read_again.end(),
                       [](const auto& one, const auto& other) {
                         return one.first == other.first && one.second->dtype == other.second->dtype &&
                                one.second->shape == other.second->shape && one.second->bytes == other.second->bytes;
                       }));
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
