// Reads safetensors files from standard input, each after its size (8 bytes, little-endian). Prints a line of JSON for
// each: its content, or the reason of its refusal. For tests/golden/compare_safetensors.py.
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "model/weights/safetensors.hpp"

namespace {

nlohmann::json verdict(const std::string& bytes) {
  nlohmann::json result;
  try {
    const gausscse::SafetensorsContent content = gausscse::parse_safetensors(bytes, "input");
    result["tensors"] = nlohmann::json::object();
    for (const gausscse::TensorEntry& tensor : content.tensors) {
      nlohmann::json data = nlohmann::json::array();
      for (const char byte : tensor.bytes) data.push_back(static_cast<unsigned char>(byte));
      result["tensors"][tensor.name] = {gausscse::dtype_name(tensor.dtype), tensor.shape, data};
    }
  } catch (const gausscse::InputError& error) {
    result["refused"] = error.what();
  }
  return result;
}

}  // namespace

int main() {
  std::uint64_t size = 0;
  while (std::cin.read(reinterpret_cast<char*>(&size), sizeof size)) {
    std::string bytes(size, '\0');
    if (!std::cin.read(bytes.data(), static_cast<std::streamsize>(size))) return 1;
    std::cout << verdict(bytes).dump() << '\n';
  }
  return 0;
}
