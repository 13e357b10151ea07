#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

/// Returns a value for messages: a text between quotes once, others as JSON has them.
inline std::string shown(const nlohmann::json& value) {
  if (const auto* text = value.get_ptr<const nlohmann::json::string_t*>()) return quoted(*text);
  constexpr std::size_t longest = 60;
  const std::string all = value.dump();
  return all.size() <= longest ? all : concat(all.substr(0, longest), " ...");
}

/// Returns whether a key of a config.json that is not known switches nothing on: its value is null, false, or an empty
/// text, list or object. All keys that transformers 4.6 to 5.23 added to its base config, to BertConfig or to
/// RobertaConfig have such a default. Only numbers that concern text generation have another, and these are known. So
/// keys of later releases are accepted while they hold such a value. Numbers, true and anything else may change the
/// model's results; 0 is a number. A model whose code is its own, for which false may be such a change, says so by the
/// key auto_map, which is then not empty.
inline bool is_switched_off(const nlohmann::json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_structured()) return value.empty();
  return value.is_null() || value == false;
}

/// Reader of members of the config's object, with messages that name file and key.
class ConfigReader {
 public:
  using json = nlohmann::json;

  ConfigReader(const json& object, std::string_view source_name) : object_(object), source_name_(source_name) {
    if (!object.is_object()) throw InputError(concat(source_name, ": is not a JSON object, so it is no model config"));
  }

  /// Returns the name for messages.
  std::string_view source_name() const { return source_name_; }

  template <typename... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    throw InputError(concat(source_name_, ": ", parts...));
  }

  void refuse_unknown_keys(const std::vector<std::string>& known) const {
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end() || is_switched_off(value)) continue;
      refuse("unknown key ", quoted(key), " with the value ", shown(value),
             " may change what the model computes: remove it if it does not matter to the encoder",
             nearest_name(key, known));
    }
  }

  const json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  /// Returns a whole number from `least` to `most`; without `otherwise` the key must be there.
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most,
                       std::optional<std::int64_t> otherwise = std::nullopt) const {
    const json* value = find(key);
    if (!value && otherwise) return *otherwise;
    if (!value) refuse("the key ", quoted(key), " is missing: it is needed to know the model's shape");
    const bool in_range = value->is_number_unsigned() &&
                          value->get<std::uint64_t>() >= static_cast<std::uint64_t>(least) &&
                          value->get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
    if (!in_range) refuse(key, " is ", shown(*value), "; it must be a whole number from ", least, " to ", most);
    return value->get<std::int64_t>();
  }

  /// Reads an integer of the family's key; `otherwise` too where the family has no such key (null).
  std::int64_t integer_of_family(const char* key, std::int64_t least, std::int64_t most, std::int64_t otherwise) const {
    return key ? integer(key, least, most, otherwise) : otherwise;
  }

  /// Returns a number in [0, 1); `otherwise` where the key is missing, or the family has no such key (null).
  double fraction(const char* key, double otherwise) const {
    const json* value = key ? find(key) : nullptr;
    if (!value) return otherwise;
    const bool in_range = value->is_number() && value->get<double>() >= 0 && value->get<double>() < 1;
    if (!in_range) refuse(key, " is ", shown(*value), "; it must be a number from 0 to below 1");
    return value->get<double>();
  }

  /// Returns a number above 0; `otherwise` where the key is missing.
  double positive(const char* key, double otherwise) const {
    const json* value = find(key);
    if (!value) return otherwise;
    const bool in_range = value->is_number() && value->get<double>() > 0 && std::isfinite(value->get<double>());
    if (!in_range) refuse(key, " is ", shown(*value), "; it must be a number above 0");
    return value->get<double>();
  }

  /// Throws unless the key is absent, null or equal to `only`, the one value that is implemented.
  void require(const char* key, const json& only) const {
    const json* value = find(key);
    if (value && !value->is_null() && *value != only) {
      refuse(key, " is ", shown(*value), "; only ", only.dump(), " is implemented: use another model");
    }
  }

 private:
  const json& object_;
  std::string source_name_;
};

}  // namespace gausscse
