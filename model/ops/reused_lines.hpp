#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gausscse {

/// Memory whose elements begin at a cache line. It is kept from call to call and only grows.
class ReusedLines {
 public:
  /// Returns memory for `count` elements, whose values are not defined; valid until the next call for more.
  template <typename T>
  T* get(std::int64_t count) {
    const std::size_t lines = (static_cast<std::size_t>(count) * sizeof(T) + sizeof(Line) - 1) / sizeof(Line);
    if (lines_.size() < lines) lines_ = std::vector<Line>(lines);
    return reinterpret_cast<T*>(lines_.data());
  }
  std::int64_t bytes() const { return static_cast<std::int64_t>(lines_.size() * sizeof(Line)); }

 private:
  struct alignas(64) Line {
    unsigned char bytes[64];
  };
  std::vector<Line> lines_;
};

}  // namespace gausscse
