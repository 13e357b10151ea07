#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/file.hpp"

struct XXH3_state_s;

namespace gausscse {

/// XXH3-128 of bytes that come piece by piece.
///
///     ContentHasher hasher;
///     while (const std::size_t count = read_some(file, buffer, capacity, path)) hasher.add({buffer, count});
///     const std::string hash = hasher.digits();
class ContentHasher {
 public:
  /// Throws SystemError where there is no memory.
  ContentHasher();
  void add(std::string_view bytes);
  /// Returns the hash of the bytes that were added so far, as 32 hexadecimal digits.
  std::string digits() const;

 private:
  std::unique_ptr<XXH3_state_s, void (*)(XXH3_state_s*)> state_;
};

/// Returns the XXH3-128 of a file's bytes, as 32 hexadecimal digits, as `xxh128sum` prints it. Throws InputError where
/// the file is missing, a folder, a refused link or unreadable.
std::string content_hash(const std::filesystem::path& path, Links links = Links::followed);

/// Returns the hash of bytes in memory.
std::string content_hash_of(std::string_view bytes);

/// Returns the hash of the file of the code that runs: the program, or its shared object with this function. Empty
/// where it cannot be read.
std::string program_hash();

}  // namespace gausscse
