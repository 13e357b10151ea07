#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "data/corpus/byte_image.hpp"
#include "data/corpus/string_table.hpp"

namespace gausscse {

/// A large file in memory of this process, which is read piece by piece as it is needed:
///
///     PartialCopy copy("index");
///     copy.read(0, 1000);  // copy.bytes().substr(0, 1000) is there now; the rest is zeros, which take no memory
///
/// Later changes of the file change nothing that was read, and a file that was cut short is an error, not a signal.
class PartialCopy {
 public:
  /// Opens a regular file and reads nothing. Throws as `open_regular_file`, and SystemError where there are no
  /// addresses.
  explicit PartialCopy(const std::filesystem::path& path);

  /// Returns as many bytes as the file had when it was opened. They stay at the same address when the object is moved.
  std::string_view bytes() const { return mapping_.bytes(); }

  /// Reads `count` bytes from `begin` on, again where they have been read already. Not for two threads at the same
  /// bytes. Throws InputError where the file ends before, SystemError where the machine fails.
  void read(std::size_t begin, std::size_t count);

 private:
  std::filesystem::path path_;
  OpenFile file_;
  Mapping mapping_;
};

/// Words and their vectors, gathered one by one.
class WordVectorTable {
 public:
  /// Makes an empty table of rows of `width` values, at least 1.
  explicit WordVectorTable(std::size_t width);

  /// Gives `word` this vector [width]; of a word that comes again the last one counts, as in SentEval's example of a
  /// bag of words. Throws InputError beyond 2^32 - 2 words.
  void set(std::string_view word, std::span<const float> vector);

  std::size_t width() const { return width_; }
  const StringTable& words() const { return words_; }
  /// Returns how many vectors took the place of an earlier one of their word.
  std::size_t repeated() const { return repeated_; }

  std::span<const float> row(std::size_t word) const;
  /// Returns all rows, one block behind the other: none is copied as the table grows.
  const std::vector<std::vector<float>>& blocks() const { return blocks_; }

 private:
  std::size_t width_;
  std::size_t rows_of_block_;
  StringTable words_;
  std::vector<std::vector<float>> blocks_;
  std::size_t repeated_ = 0;
};

/// A table of word vectors as an image, in which a word is found without reading the others: a header; where each word
/// ends; the words; their numbers by hash; a hash of each row; the rows, float32.
inline constexpr std::uint32_t word_vector_image_version = 1;

/// Image of a table, which must outlive it. `key`: 32 hexadecimal digits, the hash of what it was made from.
class WordVectorImageParts {
 public:
  WordVectorImageParts(const WordVectorTable& table, std::string_view key);

  const ImageParts& image() const { return image_; }

 private:
  std::vector<std::uint64_t> ends_;
  std::vector<char> words_;
  std::vector<std::uint32_t> slots_;
  std::vector<std::uint64_t> row_hashes_;
  ImageParts image_;
};

/// A checked image. Its rows are checked one by one as they are asked for: there may be gigabytes of them.
class WordVectorImage {
 public:
  WordVectorImage() = default;
  /// Views `bytes`, which must begin at a multiple of 8 and outlive the view. All but the rows is checked before it is
  /// used: hashes, sizes, the order of ends. Throws InputError that says what is wrong with the image, if it is not
  /// whole or not of `key`.
  WordVectorImage(std::string_view bytes, std::string_view key);

  /// Returns the number of bytes that the header takes.
  static std::size_t header_bytes();
  /// Returns where the rows begin in an image of which the header is there. Throws as the constructor.
  static std::size_t rows_begin(std::string_view bytes, std::string_view key);

  std::size_t words() const { return ends_.size(); }
  std::size_t width() const { return width_; }
  /// Returns WordVectorTable::repeated of the table.
  std::size_t repeated() const { return repeated_; }
  /// Returns the word of a number below words().
  std::string_view word(std::size_t number) const;
  /// Returns the number of a word; nothing where it has no vector.
  std::optional<std::uint32_t> find(std::string_view word) const;
  /// Returns all rows, [words, width].
  std::span<const float> rows() const { return rows_; }
  /// Returns the row of a number below words().
  std::span<const float> row(std::size_t number) const { return rows_.subspan(number * width_, width_); }
  /// Returns whether the row of a number is what was written.
  bool row_is_whole(std::size_t number) const;

 private:
  std::size_t width_ = 0;
  std::size_t repeated_ = 0;
  std::span<const std::uint64_t> ends_;
  std::string_view text_;
  std::span<const std::uint32_t> slots_;
  std::span<const std::uint64_t> row_hashes_;
  std::span<const float> rows_;
};

}  // namespace gausscse
