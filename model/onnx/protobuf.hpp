#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace gausscse {

/// A message in protobuf's wire format: fields one behind the other, each a number with a type and a value.
///
///     ProtobufMessage dimension, shape;
///     dimension.add(2, std::string_view("batch"));
///     shape.add(1, dimension);
class ProtobufMessage {
 public:
  /// Adds a whole number.
  ProtobufMessage& add(int field, std::int64_t value) {
    add_key(field, 0);
    add_varint(static_cast<std::uint64_t>(value));
    return *this;
  }
  /// Adds a number in 32 bits.
  ProtobufMessage& add(int field, float value) {
    add_key(field, 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(bits >> 8 * i & 0xff);
    return *this;
  }
  /// Adds a text or bytes.
  ProtobufMessage& add(int field, std::string_view value) {
    add_beginning(field, value.size());
    bytes_ += value;
    return *this;
  }
  ProtobufMessage& add(int field, const ProtobufMessage& message) {
    return add(field, std::string_view(message.bytes_));
  }
  /// Adds the key and size in front of a text, bytes or a message of `size` bytes, which the caller puts behind them.
  ProtobufMessage& add_beginning(int field, std::uint64_t size) {
    add_key(field, 2);
    add_varint(size);
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  void add_key(int field, int type) {
    add_varint(static_cast<std::uint64_t>(field) << 3 | static_cast<unsigned>(type));
  }
  void add_varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace gausscse
