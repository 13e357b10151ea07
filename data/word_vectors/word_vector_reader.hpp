#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/corpus/text_readers.hpp"

namespace gausscse {

/// Reader of vectors of words from text: a line a word, the word and then its values, with blanks between them (GloVe).
/// A first line of two whole numbers gives the number of words and of values of each (word2vec, fastText); without it
/// the first line's values are counted. A word may have blanks inside, as ". . ." of glove.840B, but not that of the
/// first line: the last values of a line are the vector.
class WordVectorReader {
 public:
  /// Reads as far as the width is known. `name` is the file's, for messages. `source` must outlive the reader. Throws
  /// InputError for a text without a vector.
  WordVectorReader(ByteSource& source, std::string name);

  /// Values of a vector, at least 1.
  std::size_t width() const { return values_.size(); }

  /// Sets `word`, which is not empty, and `vector` [width], finite, in float32; valid until the next call. False after
  /// the last line. Throws InputError with file and line for a line of another width, without a word, with a value that
  /// is no finite number of float32, or with a word that is not UTF-8. Also where the number of lines is less than the
  /// first line says.
  bool next(std::string_view& word, std::span<const float>& vector);

 private:
  void read_first_line();
  void read_values(std::string_view line);
  [[noreturn]] void fail(const std::string& what) const;
  [[noreturn]] void fail_as_of_another_width(std::size_t values) const;

  LineReader lines_;
  std::optional<std::string> first_;   ///< the first line, where it is a word's, until it is given
  std::optional<std::uint64_t> said_;  ///< words, by the first line
  std::uint64_t read_ = 0;
  std::string_view word_;
  std::vector<float> values_;
};

}  // namespace gausscse
