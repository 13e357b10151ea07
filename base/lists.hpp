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

/// Returns a pointer to the first of `values` whose member equals `value`; null where there is none:
/// find_by(axes, &Axis::name, "seed").
template <typename Values, typename Member, typename Value>
auto* find_by(Values& values, Member member, const Value& value) {
  const auto found = std::find_if(std::begin(values), std::end(values),
                                  [&](const auto& each) { return std::invoke(member, each) == value; });
  return found == std::end(values) ? nullptr : &*found;
}

/// Returns the member of each value: members_of(axes, &Axis::name).
template <typename Values, typename Member>
auto members_of(const Values& values, Member member) {
  std::vector<std::remove_cvref_t<decltype(std::invoke(member, *std::begin(values)))>> members;
  for (const auto& value : values) members.push_back(std::invoke(member, value));
  return members;
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
