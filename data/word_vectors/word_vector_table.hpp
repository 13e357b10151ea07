#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "data/corpus/string_table.hpp"

namespace gausscse {

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

}  // namespace gausscse
