#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/strict_json.hpp"

namespace gausscse {

/// Values of some keys of a JSON object that stands in one line (RFC 8259).
class JsonRow {
 public:
  struct Value {
    std::string_view kind = {};  ///< "a text", "a number", "null", ...; empty where the object lacks the key
    std::string text = {};       ///< text of a text, a number (in the fewest digits) or a truth value
    std::vector<std::string> elements = {};  ///< texts of an array; the kind is "an array of texts"
  };

  /// Makes a row that keeps the values of `keys`, each once.
  explicit JsonRow(std::vector<std::string> keys) : keys_(std::move(keys)), values_(keys_.size()) {}

  /// Reads `line`. Other keys than those of the constructor may hold anything. Throws InputError, with the column only,
  /// if `parse_strict_json` does, or the line is not an object.
  void parse(std::string_view line);

  const std::vector<std::string>& keys() const { return keys_; }

  /// Returns the values that `parse` read last, in the order of `keys()`.
  const std::vector<Value>& values() const { return values_; }

  /// Returns the keys of the object that `parse` read last, in the order of their bytes, at most 25 of them.
  const std::vector<std::string>& found() const { return found_; }

 private:
  std::vector<std::string> keys_;
  std::vector<Value> values_;
  std::vector<std::string> found_;
};

}  // namespace gausscse
