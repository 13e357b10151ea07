#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/weights/float_conversion.hpp"
#include "model/weights/safetensors.hpp"
#include "model/weights/safetensors_writer.hpp"

/// What is accepted covers the data without hole or overlap, converts, and is read back the same when written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const gausscse::SafetensorsContent content = gausscse::parse_safetensors(bytes, "input");
    std::size_t covered = 0;
    for (const gausscse::TensorEntry& tensor : content.tensors) {
      covered += tensor.bytes.size();
      if (tensor.dtype == gausscse::Dtype::f16 || tensor.dtype == gausscse::Dtype::f64) {
        std::vector<float> values(tensor.bytes.size() * 8 / gausscse::dtype_bits(tensor.dtype));
        gausscse::copy_to_float32(tensor, values);
      }
    }
    std::uint64_t header_size;
    std::memcpy(&header_size, data, sizeof header_size);
    if (covered + 8 + header_size != size) std::abort();

    std::string written;
    const gausscse::SafetensorsImage image(content.tensors, content.metadata);
    for (const std::string_view part : image.parts()) written += part;
    const gausscse::SafetensorsContent again = gausscse::parse_safetensors(written, "written");
    if (again.tensors.size() != content.tensors.size() || again.metadata != content.metadata) std::abort();
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
