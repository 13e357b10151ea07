#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
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

/// Returns XXH3-64 of a header but its last member, `header_hash`.
template <typename Header>
std::uint64_t hash_of_header(const Header& header) {
  static_assert(std::has_unique_object_representations_v<Header> && sizeof(Header) % image_alignment == 0);
  return image_hash({reinterpret_cast<const char*>(&header), sizeof(Header) - sizeof(header.header_hash)});
}

/// Returns the header of an image of `what` ("a token store"), after the checks that all kinds share. A header has the
/// members magic, version and key, of 32 digits, and as its last member header_hash; a new one has the magic number and
/// version that are read. Throws InputError where the header is another one, or not of `key`.
template <typename Header>
Header header_of_image(std::string_view bytes, std::string_view key, std::string_view what) {
  const Header expected;
  Header header;
  require(bytes.size() >= sizeof(Header), "it is shorter than its header");
  std::memcpy(&header, bytes.data(), sizeof(Header));
  if (header.magic != expected.magic) throw InputError(concat("it does not begin as ", what));
  require(header.version == expected.version, "it is of another version");
  require(header.header_hash == hash_of_header(header), "the header does not match its hash");
  require(std::string_view(header.key.data(), header.key.size()) == key, "it was made from something else");
  return header;
}

/// Puts a header before an image, with its key and its hash.
template <typename Header>
void put_sealed_header(Header& header, std::string_view key, ImageParts& image) {
  GAUSSCSE_CHECK(key.size() == header.key.size(), "key ", key);
  std::copy(key.begin(), key.end(), header.key.begin());
  header.header_hash = hash_of_header(header);
  image.put_header({reinterpret_cast<const char*>(&header), sizeof header});
}

}  // namespace gausscse
