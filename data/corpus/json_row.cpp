#include "data/corpus/json_row.hpp"

#include <algorithm>
#include <cstddef>

#include "base/error.hpp"

namespace gausscse {

namespace {

using nlohmann::json;

constexpr std::size_t most_found = 25;

/// Returns the kind of a value, for messages.
std::string_view kind_of(const json& value) {
  switch (value.type()) {
    case json::value_t::null:
      return "null";
    case json::value_t::boolean:
      return "a truth value";
    case json::value_t::string:
      return "a text";
    case json::value_t::array:
      return std::all_of(value.begin(), value.end(), [](const json& element) { return element.is_string(); })
                 ? "an array of texts"
                 : "an array";
    case json::value_t::object:
      return "an object";
    default:
      return "a number";
  }
}

}  // namespace

void JsonRow::parse(std::string_view line) {
  for (Value& value : values_) value = {};
  found_.clear();
  const JsonDocument row = parse_strict_json(line, "");
  if (!row->is_object())
    throw InputError(concat("the line is ", kind_of(row), " where a JSON object is needed: one {...} a line"));
  for (const auto& [name, value] : row->items()) {
    if (found_.size() < most_found) found_.push_back(name);
    const auto wanted = std::find(keys_.begin(), keys_.end(), name);
    if (wanted == keys_.end()) continue;
    Value& kept = values_[static_cast<std::size_t>(wanted - keys_.begin())];
    kept.kind = kind_of(value);
    if (kept.kind == "an array of texts")
      value.get_to(kept.elements);
    else if (value.is_string())
      value.get_to(kept.text);
    else if (value.is_primitive())
      kept.text = value.dump();
  }
}

}  // namespace gausscse
