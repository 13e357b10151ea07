#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// Distinct texts, numbered from 0 in the order they first came; all in one block of memory, for corpora of millions.
class StringTable {
 public:
  StringTable();

  /// Returns the number of `text`, which is added if it is new. Throws InputError beyond 2^32 - 2 texts.
  std::uint32_t intern(std::string_view text);

  /// Returns the text of a number; valid until the next `intern`.
  std::string_view operator[](std::uint32_t index) const {
    return std::string_view(bytes_).substr(ends_[index], ends_[index + 1] - ends_[index]);
  }

  std::size_t size() const { return ends_.size() - 1; }

 private:
  static constexpr std::uint32_t no_text = 0xFFFFFFFF;

  std::size_t slot_of(std::string_view text) const;
  void grow();

  std::string bytes_;
  std::vector<std::uint64_t> ends_;   ///< offset in bytes_ at which each text ends; the first entry is 0
  std::vector<std::uint32_t> slots_;  ///< numbers by hash, open addressing, a power of two of them, at most half full
};

}  // namespace gausscse
