#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gausscse {

/// Returns true where `value` is one of `values`.
template <typename Values, typename Value>
bool is_among(const Values& values, const Value& value) {
  return std::find(std::begin(values), std::end(values), value) != std::end(values);
}

/// Appends `value` to a vector that does not have it yet.
template <typename T>
void add_once(std::vector<T>& values, const std::type_identity_t<T>& value) {
  if (!is_among(values, value)) values.push_back(value);
}

/// Returns the text of each value with a separator between them: joined(labels, ", ", quoted_label). Without `text_of`
/// the values are texts.
template <typename Values, typename TextOf = std::identity>
std::string joined(const Values& values, std::string_view separator = ", ", const TextOf& text_of = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& value : values) {
    if (!is_first) text += separator;
    text += text_of(value);
    is_first = false;
  }
  return text;
}

}  // namespace gausscse
