#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

/// Types of LibTorch that tensors are described with, under LibTorch's names; see tensor.hpp.
namespace at {

/// Error of a tensor's functions: sizes or types that do not go together, as LibTorch's is.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  const char* what_without_backtrace() const { return what(); }
};

/// Number of 16 bits: the upper half of a float32.
struct BFloat16 {
  std::uint16_t x = 0;

  BFloat16() = default;
  /// Rounds to nearest, ties to even.
  BFloat16(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const bool is_nan = (bits & 0x7FFFFFFF) > 0x7F800000;
    x = is_nan ? std::uint16_t{0x7FC0} : static_cast<std::uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
  }
  operator float() const { return std::bit_cast<float>(std::uint32_t{x} << 16); }
};

enum class ScalarType : std::int8_t { Byte, Char, Int, Long, BFloat16, Float, Double, Bool };
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kInt = ScalarType::Int,
                     kLong = ScalarType::Long, kBFloat16 = ScalarType::BFloat16, kFloat = ScalarType::Float,
                     kDouble = ScalarType::Double, kBool = ScalarType::Bool;

/// Type of the elements that C++ knows as T.
template <typename T>
constexpr ScalarType scalar_type_of = [] {
  if constexpr (std::is_same_v<T, std::uint8_t>) return kByte;
  if constexpr (std::is_same_v<T, std::int8_t>) return kChar;
  if constexpr (std::is_same_v<T, std::int32_t>) return kInt;
  if constexpr (std::is_same_v<T, std::int64_t>) return kLong;
  if constexpr (std::is_same_v<T, BFloat16>) return kBFloat16;
  if constexpr (std::is_same_v<T, float>) return kFloat;
  if constexpr (std::is_same_v<T, double>) return kDouble;
  if constexpr (std::is_same_v<T, bool>) return kBool;
}();

/// Calls function(T{}) with the type of such elements.
template <typename Function>
decltype(auto) with_type(ScalarType type, const Function& function) {
  switch (type) {
    case kByte:
      return function(std::uint8_t{});
    case kChar:
      return function(std::int8_t{});
    case kInt:
      return function(std::int32_t{});
    case kLong:
      return function(std::int64_t{});
    case kBFloat16:
      return function(BFloat16{});
    case kFloat:
      return function(float{});
    case kDouble:
      return function(double{});
    case kBool:
      break;
  }
  return function(bool{});
}

/// Bytes of an element.
std::size_t element_size(ScalarType type);
const char* toString(ScalarType type);
std::ostream& operator<<(std::ostream& out, ScalarType type);
constexpr bool is_floating(ScalarType type) {
  return type == kBFloat16 || type == kFloat || type == kDouble;
}

/// Type as `Tensor::dtype` gives it.
struct TypeMeta {
  ScalarType type = kFloat;

  TypeMeta(ScalarType of) : type(of) {}
  std::size_t itemsize() const { return element_size(type); }
  operator ScalarType() const { return type; }
  bool operator==(const TypeMeta&) const = default;
  bool operator==(ScalarType other) const { return type == other; }
};

enum class DeviceType : std::int8_t { CPU, CUDA };
using DeviceIndex = std::int8_t;
/// Name of the type, "cpu" in lower case or "CPU".
std::string DeviceTypeName(DeviceType type, bool lower_case = false);
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;

/// Place of tensors. Those of this library are on the CPU.
class Device {
 public:
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}

  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool is_cpu() const { return type_ == kCPU; }
  bool is_cuda() const { return type_ == kCUDA; }
  std::string str() const;
  bool operator==(const Device&) const = default;

 private:
  DeviceType type_;
  DeviceIndex index_;
};
std::ostream& operator<<(std::ostream& out, const Device& device);

enum class MemoryFormat : std::int8_t { Contiguous, Preserve };

/// Numbers that somebody else holds.
template <typename T>
class ArrayRef {
 public:
  ArrayRef() = default;
  ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
  ArrayRef(const T& one) : ArrayRef(&one, 1) {}
  ArrayRef(const std::initializer_list<T>& list) : ArrayRef(list.begin(), list.size()) {}
  template <typename Container>
  requires requires(const Container& c) {
    { c.data() } -> std::convertible_to<const T*>;
    { c.size() } -> std::convertible_to<std::size_t>;
  }
  ArrayRef(const Container& container) : ArrayRef(container.data(), container.size()) {}

  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  const T& front() const { return data_[0]; }
  const T& back() const { return data_[size_ - 1]; }
  ArrayRef slice(std::size_t first) const { return {data_ + first, size_ - first}; }
  std::vector<T> vec() const { return {begin(), end()}; }
  friend bool operator==(const ArrayRef& a, const ArrayRef& b) {
    if (a.size_ != b.size_) return false;
    for (std::size_t i = 0; i < a.size_; ++i)
      if (!(a.data_[i] == b.data_[i])) return false;
    return true;
  }

 private:
  const T* data_ = nullptr;
  std::size_t size_ = 0;
};
using IntArrayRef = ArrayRef<std::int64_t>;
std::ostream& operator<<(std::ostream& out, IntArrayRef sizes);

/// Number of a tensor's type or a neighbour's: integers stay exact.
class Scalar {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> Scalar(T value)
      : real_(static_cast<double>(value)),
        whole_(std::is_integral_v<T> ? static_cast<std::int64_t>(value) : 0),
        is_whole_(std::is_integral_v<T>) {}

  bool is_whole() const { return is_whole_; }
  template <typename T>
  T to() const {
    if constexpr (std::is_same_v<T, BFloat16>)
      return BFloat16(static_cast<float>(real_));
    else
      return is_whole_ ? static_cast<T>(whole_) : static_cast<T>(real_);
  }

 private:
  double real_;
  std::int64_t whole_;
  bool is_whole_;
};

/// Type and place of a new tensor.
class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType type) : type_(type) {}
  TensorOptions(TypeMeta type) : type_(type) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType device) : device_(device) {}

  TensorOptions dtype(ScalarType type) const { return with(*this, type, device_); }
  TensorOptions device(Device device) const { return with(*this, type_, device); }
  /// Has no effect, as there is no GPU that would copy such memory.
  TensorOptions pinned_memory(bool) const { return *this; }
  ScalarType type() const { return type_; }
  TypeMeta dtype() const { return type_; }
  Device device() const { return device_; }

 private:
  static TensorOptions with(TensorOptions options, ScalarType type, Device device) {
    options.type_ = type;
    options.device_ = device;
    return options;
  }

  ScalarType type_ = kFloat;
  Device device_ = kCPU;
};

}  // namespace at

namespace c10 {

using namespace at;

template <typename T>
struct CppTypeToScalarType {
  static constexpr ScalarType value = scalar_type_of<T>;
};

}  // namespace c10
