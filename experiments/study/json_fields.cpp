#include "experiments/study/json_fields.hpp"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

namespace {

constexpr std::size_t largest_file = std::size_t{64} << 20;

/// Returns the number behind the slash of "gausscse-plan/1"; 0 where there is none.
long version_of(std::string_view format) {
  long version = 0;
  const std::string_view digits = format.substr(format.rfind('/') + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  return error == std::errc() && end == digits.data() + digits.size() ? version : 0;
}

/// Refuses a document of another format: `what` it should be, and whether a newer or an older version wrote it.
void check_format(const nlohmann::json& document, std::string_view format, std::string_view what,
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

}  // namespace

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

bool JsonFields::is_left_out(const char* key, Presence presence) const {
  return presence == Presence::optional && !object_.contains(key);
}

std::string JsonFields::element_place(const char* noun, std::size_t number) const {
  return concat(place_, ": ", noun, " ", number);
}

void JsonFields::operator()(const char* key, std::string& value, Presence presence) {
  if (is_left_out(key, presence)) return;
  const nlohmann::json& found = member(key);
  if (!found.is_string()) refuse(key, "a text");
  value = found.get<std::string>();
}

void JsonFields::operator()(const char* key, std::vector<std::string>& value) {
  for (const nlohmann::json& each : array(key)) {
    if (!each.is_string()) refuse(key, "an array of texts");
    value.push_back(each.get<std::string>());
  }
}

void JsonFields::operator()(const char* key, std::int64_t& value, std::int64_t least, std::int64_t most,
                            Presence presence) {
  if (is_left_out(key, presence)) return;
  const nlohmann::json& found = member(key);
  const bool fits =
      found.is_number_unsigned()
          ? found.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
          : found.is_number_integer();
  if (!fits || found.get<std::int64_t>() < least || found.get<std::int64_t>() > most)
    refuse(key, concat("a whole number from ", least, most == INT64_MAX ? "" : concat(" to ", most)));
  value = found.get<std::int64_t>();
}

void JsonFields::operator()(const char* key, std::uint64_t& value) {
  const nlohmann::json& found = member(key);
  if (!found.is_number_unsigned()) refuse(key, "a whole number from 0");
  value = found.get<std::uint64_t>();
}

void JsonFields::operator()(const char* key, double& value, Presence presence) {
  if (is_left_out(key, presence)) return;
  const nlohmann::json& found = member(key);
  if (!found.is_number() || found.get<double>() < 0) refuse(key, "a number from 0");
  value = found.get<double>();
}

void JsonFields::operator()(const char* key, LabelsOnAxes& value) {
  std::set<std::string> axes;
  for (const nlohmann::json& pair : array(key)) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      refuse(key, "an array of pairs [axis, label]");
    value.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
    if (!axes.insert(value.back().first).second) refuse(key, "each axis once");
  }
}

void JsonFields::expect_no_others() const {
  for (const auto& [key, value] : object_.items())
    if (!read_.contains(key))
      throw InputError(concat(place_, ": ", quoted(key), " is not known: the file was changed, or written by another ",
                              "version of gausscse"));
}

bool JsonFields::expect_as_written(std::string_view remedy) {
  std::string recorded;
  (*this)(check_member, recorded, Presence::optional);
  expect_no_others();
  if (!object_.contains(check_member)) return false;
  const std::string hash = check_of(object_);
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
  value[check_member] = check_of(parse_strict_json(json_text(value), "the value to write"));
  return json_text(value);
}

bool read_checked(const World& world, const std::filesystem::path& file, const RecordFormat& format,
                  const std::function<void(JsonFields& fields)>& list) {
  const std::string source = file.string(), text = read_whole_file(world, file, largest_file, Links::refused);
  JsonDocument document;
  try {
    document = parse_strict_json(text, source);
  } catch (const InputError& error) {
    throw InputError(concat(error.what(), ": ", format.remedy));
  }
  check_format(document, format.format, format.what, source);
  JsonFields fields(document, source);
  std::string known_format;
  fields("format", known_format);
  list(fields);
  return fields.expect_as_written(format.remedy);
}

}  // namespace gausscse
