#include "data/tokenizer/json_object.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "data/tokenizer/vocabulary.hpp"

namespace gausscse {

namespace {

std::string shown(const nlohmann::json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return value.is_string() ? quoted(value.get_ref<const std::string&>()) : value.dump();
}

[[noreturn]] void wrong_type(const std::string& where, const char* expected, const nlohmann::json& value) {
  throw InputError(concat(where, " must be ", expected, ", but is ", shown(value), "; give the model's own file"));
}

}  // namespace

JsonObject::JsonObject(const nlohmann::json& value, std::string where) : value_(value), where_(std::move(where)) {
  if (!value_.is_object()) wrong_type(where_, "an object", value_);
}

bool JsonObject::is_null(const std::string& key) const {
  const auto found = value_.find(key);
  return found == value_.end() || found->is_null();
}

const nlohmann::json& JsonObject::at(const std::string& key) const {
  const auto found = value_.find(key);
  if (found == value_.end()) throw InputError(concat(where_, " has no ", quoted(key), "; give the model's own file"));
  return *found;
}

std::string JsonObject::string(const std::string& key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_string()) wrong_type(concat(where_, ".", key), "a string", value);
  return value.get<std::string>();
}

bool JsonObject::boolean(const std::string& key) const {
  const nlohmann::json& value = at(key);
  if (!value.is_boolean()) wrong_type(concat(where_, ".", key), "true or false", value);
  return value.get<bool>();
}

bool JsonObject::boolean_or(const std::string& key, bool fallback) const {
  return is_null(key) ? fallback : boolean(key);
}

std::uint32_t JsonObject::id(const std::string& key) const {
  return json_token_id(at(key), concat(where_, ".", key));
}

JsonObject JsonObject::object(const std::string& key) const {
  return JsonObject(at(key), concat(where_, ".", key));
}

void JsonObject::check_keys(std::initializer_list<const char*> known) const {
  for (const auto& [key, value] : value_.items()) {
    if (std::any_of(known.begin(), known.end(), [&name = key](const char* k) { return name == k; })) continue;
    throw InputError(concat(where_, " has a key that is not understood, ", quoted(key),
                            nearest_name(key, {known.begin(), known.end()}), ", so the token ids could be wrong"));
  }
}

void JsonObject::not_supported(const std::string& key, const std::string& what_is) const {
  const auto found = value_.find(key);
  throw InputError(concat(where_, ".", key, " is ", found == value_.end() ? "missing" : shown(*found),
                          ", which is not understood: ", what_is));
}

JsonFile::JsonFile(const TokenizerFiles& files, const std::string& name)
    : source_(files.source_name(name)), document_(nlohmann::json::object()) {
  if (const std::string* text = files.find(name)) document_ = parse_strict_json(*text, source_);
}

std::optional<std::uint32_t> find_token_id(const nlohmann::json& value) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > Vocabulary::largest_id) return std::nullopt;
  return static_cast<std::uint32_t>(value.get<std::uint64_t>());
}

std::uint32_t json_token_id(const nlohmann::json& value, const std::string& where) {
  const std::optional<std::uint32_t> id = find_token_id(value);
  if (!id) wrong_type(where, concat("a token id, 0 to ", Vocabulary::largest_id).c_str(), value);
  return *id;
}

}  // namespace gausscse
