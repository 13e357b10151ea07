#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/sealed_memory.hpp"

// Data as one block of bytes, the same in memory and on the disk, in the machine's byte order: a header, then sections,
// each of which begins at a multiple of 8.
namespace gausscse {

inline constexpr std::size_t image_alignment = 8;

constexpr std::uint64_t aligned(std::uint64_t size) {
  return (size + image_alignment - 1) / image_alignment * image_alignment;
}

template <typename T>
std::string_view bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

/// Returns `count` values of an image, from the byte `begin` on.
template <typename T>
std::span<const T> section(std::string_view bytes, std::uint64_t begin, std::uint64_t count) {
  return {reinterpret_cast<const T*>(bytes.data() + begin), static_cast<std::size_t>(count)};
}

/// Returns the XXH3-64 of the bytes.
std::uint64_t image_hash(std::string_view bytes);
/// Returns the same of the concatenation of `parts`.
std::uint64_t image_hash(std::span<const std::string_view> parts);

/// Throws InputError with `what`, of an image that is read, unless it holds.
void require(bool holds, std::string_view what);

/// An image ready to be written: its header, and views of what it was made from, which must outlive it.
class ImageParts {
 public:
  ImageParts() = default;
  ImageParts(const ImageParts&) = delete;
  ImageParts& operator=(const ImageParts&) = delete;

  void add(std::string_view bytes);
  /// Fills up to the next multiple of 8.
  void end_section();
  /// Puts the header, a copy of it, before the sections; once.
  void put_header(std::string_view bytes);

  /// Returns the parts that, one after the other, are the image.
  std::span<const std::string_view> parts() const { return parts_; }
  /// Returns the sum of their sizes.
  std::size_t size() const { return size_; }

 private:
  std::string header_;
  std::vector<std::string_view> parts_;
  std::size_t size_ = 0;
};

/// Bytes of an image, which begin at a multiple of 8: sealed memory, or ordinary memory of the object.
class ImageMemory {
 public:
  ImageMemory() = default;
  explicit ImageMemory(SealedMemory memory) : sealed_(std::move(memory)) {}
  explicit ImageMemory(const ImageParts& parts);

  /// Returns the bytes; they stay at the same address when the object is moved.
  std::string_view bytes() const;

  /// Returns the place of sealed memory (see SealedMemory); empty for other memory.
  std::string place() const { return sealed_ ? sealed_->place() : std::string(); }

 private:
  std::optional<SealedMemory> sealed_;
  std::vector<std::uint64_t> own_;  ///< the bytes, if not sealed; 64-bit words for the alignment
  std::size_t size_ = 0;
};

}  // namespace gausscse
