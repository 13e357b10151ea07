#pragma once

#include <cstddef>
#include <string>

#include "data/source/byte_source.hpp"

namespace gausscse {

/// Text of a source as it is, but of a JSON array its elements, one a line: readers of JSON lines read an array, too.
/// An element is not checked here; line ends within it become blanks.
///
///     [                             {"a": "x",   "b": 1}
///       {"a": "x",          ->      {"a": "y",   "b": 2}
///        "b": 1},
///       {"a": "y", "b": 2}]
class JsonArraySource final : public ByteSource {
 public:
  /// `source` must outlive this one; `name` is the file's, for messages.
  JsonArraySource(ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  /// Throws InputError where the array has no end, or something follows it.
  std::size_t read(char* buffer, std::size_t capacity) override;

 private:
  /// Part of the text that the next byte belongs to.
  enum class Part { beginning, plain, between, element, behind };

  bool find_part();
  bool fill();
  void translate(std::string_view bytes);
  void take_element_byte(char byte);

  ByteSource& source_;
  std::string name_;
  Part part_ = Part::beginning;
  std::string out_;  ///< bytes to give
  std::size_t given_ = 0;
  std::size_t depth_ = 0;  ///< brackets that are open in the element
  bool in_text_ = false;
  bool escaped_ = false;
};

}  // namespace gausscse
