#include "model/tensor/types.hpp"

#include <ostream>

namespace at {

std::size_t element_size(ScalarType type) {
  return with_type(type, [](auto element) { return sizeof element; });
}

const char* toString(ScalarType type) {
  switch (type) {
    case kByte:
      return "Byte";
    case kChar:
      return "Char";
    case kInt:
      return "Int";
    case kLong:
      return "Long";
    case kBFloat16:
      return "BFloat16";
    case kFloat:
      return "Float";
    case kDouble:
      return "Double";
    case kBool:
      break;
  }
  return "Bool";
}

std::ostream& operator<<(std::ostream& out, ScalarType type) {
  return out << toString(type);
}

std::string DeviceTypeName(DeviceType type, bool lower_case) {
  if (type == kCPU) return lower_case ? "cpu" : "CPU";
  return lower_case ? "cuda" : "CUDA";
}

std::string Device::str() const {
  const std::string name = DeviceTypeName(type_, true);
  return index_ < 0 ? name : name + ":" + std::to_string(index_);
}

std::ostream& operator<<(std::ostream& out, const Device& device) {
  return out << device.str();
}

std::ostream& operator<<(std::ostream& out, IntArrayRef sizes) {
  out << '[';
  for (std::size_t i = 0; i < sizes.size(); ++i) out << (i == 0 ? "" : ", ") << sizes[i];
  return out << ']';
}

}  // namespace at
