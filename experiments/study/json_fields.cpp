#include "experiments/study/json_fields.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

namespace {

constexpr const char* check_member = "check";

/// Returns the hash of the values alone: neither blanks nor the order of members count.
std::string hash_of_values(const nlohmann::json& value) {
  return content_hash_of(value.dump());
}

/// Returns the number behind the slash of "gausscse-plan/1"; 0 where there is none.
long version_of(std::string_view format) {
  long version = 0;
  const std::string_view digits = format.substr(format.rfind('/') + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  return error == std::errc() && end == digits.data() + digits.size() ? version : 0;
}

}  // namespace

void check_json_format(const nlohmann::json& document, std::string_view format, std::string_view what,
                       const std::string& source) {
  const auto found = document.is_object() ? document.find("format") : document.end();
  const std::string is =
      document.is_object() && found != document.end() && found->is_string() ? found->get<std::string>() : std::string();
  if (is == format) return;
  const std::string_view any_version = format.substr(0, format.rfind('/') + 1);
  if (!std::string_view(is).starts_with(any_version))
    throw InputError(concat(source, ": this is no ", what, " (its \"format\" is ", is.empty() ? "missing" : quoted(is),
                            " and not ", quoted(format), "): give another file"));
  const bool newer = version_of(is) > version_of(format);
  throw InputError(concat(source, ": its format is ", quoted(is), ", that of ", newer ? "a newer" : "another",
                          " version of gausscse; this one reads ", quoted(format), ": use the version that wrote it"));
}

JsonFields::JsonFields(const nlohmann::json& object, std::string place) : object_(object), place_(std::move(place)) {
  if (!object.is_object()) throw InputError(concat(place_, ": ", object.type_name(), " where an object was expected"));
}

void JsonFields::refuse(const char* key, std::string_view expected) const {
  const auto found = object_.find(key);
  if (found == object_.end()) throw InputError(concat(place_, ": ", quoted(key), " is missing; expected ", expected));
  throw InputError(concat(place_, ": ", quoted(key), " is ", quoted(found->dump()), "; expected ", expected));
}

const nlohmann::json& JsonFields::member(const char* key) {
  static const nlohmann::json nothing;
  read_.insert(key);
  const auto found = object_.find(key);
  return found == object_.end() ? nothing : *found;
}

const nlohmann::json& JsonFields::array(const char* key) {
  const nlohmann::json& value = member(key);
  if (!value.is_array()) refuse(key, "an array");
  return value;
}

std::string JsonFields::text(const char* key) {
  const nlohmann::json& value = member(key);
  if (!value.is_string()) refuse(key, "a text");
  return value.get<std::string>();
}

std::string JsonFields::text_if_there(const char* key) {
  return object_.contains(key) ? text(key) : std::string();
}

std::vector<std::string> JsonFields::texts(const char* key) {
  std::vector<std::string> texts;
  for (const nlohmann::json& value : array(key)) {
    if (!value.is_string()) refuse(key, "an array of texts");
    texts.push_back(value.get<std::string>());
  }
  return texts;
}

std::int64_t JsonFields::integer(const char* key, std::int64_t least, std::int64_t most) {
  const nlohmann::json& value = member(key);
  const bool fits =
      value.is_number_unsigned()
          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
          : value.is_number_integer();
  if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
    refuse(key, concat("a whole number from ", least, most == INT64_MAX ? "" : concat(" to ", most)));
  return value.get<std::int64_t>();
}

std::uint64_t JsonFields::bytes(const char* key) {
  const nlohmann::json& value = member(key);
  if (!value.is_number_unsigned()) refuse(key, "a whole number from 0");
  return value.get<std::uint64_t>();
}

double JsonFields::seconds(const char* key) {
  const nlohmann::json& value = member(key);
  if (!value.is_number() || value.get<double>() < 0) refuse(key, "a number from 0");
  return value.get<double>();
}

void JsonFields::expect_no_others() const {
  for (const auto& [key, value] : object_.items())
    if (!read_.contains(key))
      throw InputError(concat(place_, ": ", quoted(key), " is not known: the file was changed, or written by another ",
                              "version of gausscse"));
}

bool JsonFields::expect_as_written(std::string_view remedy) {
  const std::string recorded = text_if_there(check_member);
  expect_no_others();
  if (!object_.contains(check_member)) return false;
  JsonDocument rest(object_);
  rest.value().erase(check_member);
  const std::string hash = hash_of_values(rest);
  if (hash != recorded)
    throw InputError(concat(place_, ": damaged: it has changed since it was written (its values have the XXH3-128 ",
                            hash, ", and its ", quoted(check_member), " is ", quoted(recorded), "): ", remedy));
  return true;
}

std::string json_text(const nlohmann::ordered_json& value) {
  return value.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string checked_json_text(nlohmann::ordered_json value) {
  // As it will be read: texts that are not UTF-8 are replaced.
  const JsonDocument read = parse_strict_json(json_text(value), "the value to write");
  value[check_member] = hash_of_values(read);
  return json_text(value);
}

}  // namespace gausscse
