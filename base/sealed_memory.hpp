#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/file_calls.hpp"

namespace gausscse {

/// Bytes in memory that nobody can change any more, and that other processes of the node can map instead of having a
/// copy each:
///
///     const SealedMemory own = SealedMemory::copy_of(open_regular_file(path), path);  // a later change has no effect
///     const SealedMemory same = SealedMemory::shared(own.place());  // in another process, or in this one
///
/// It is an anonymous file of the kernel's (memfd_create), which takes no room in /dev/shm, sealed against writing and
/// cutting. Where the kernel has none, it is memory of this process alone. The bytes begin at a multiple of 8.
class SealedMemory {
 public:
  SealedMemory() = default;
  /// Copies `bytes`. Throws SystemError where there is no memory.
  explicit SealedMemory(std::string_view bytes) : SealedMemory(std::span(&bytes, 1)) {}
  /// Seals bytes that are in pieces.
  explicit SealedMemory(std::span<const std::string_view> pieces);

  /// Returns a copy of an open file from its begin; `path` is for messages. Throws InputError where the file becomes
  /// shorter meanwhile, and SystemError where it cannot be read or there is no memory.
  static SealedMemory copy_of(const OpenFile& file, const std::filesystem::path& path);

  /// Returns the memory that another object has, in any process, by its `place`, for as long as that object lives.
  /// Throws InputError where there is no such memory, or it is not sealed.
  static SealedMemory shared(const std::string& place);

  /// Returns the bytes; they stay at the same address when the object is moved, valid until it goes.
  std::string_view bytes() const { return mapping_.bytes(); }

  /// Returns the path under which other processes of the node find the memory; empty for memory of this process alone.
  std::string place() const;

 private:
  explicit SealedMemory(std::size_t size);
  void write(std::size_t place, std::string_view bytes);
  void map(int protection, int kind);
  void seal();

  std::size_t size_ = 0;

  FileDescriptor file_;  ///< empty where the memory is private
  Mapping mapping_;
};

}  // namespace gausscse
