#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/world.hpp"
#include "experiments/manifest/planned_trial.hpp"

// Records as JSON. One function lists the members of a record, for its reader and its writer alike:
//
//   void list_members(RecordOf<Lap> auto& lap, auto& members) {
//     members("runner", lap.runner);
//     members("seconds", lap.seconds);           // not negative
//     members("number", lap.number, 1);          // a whole number from 1
//     members("note", lap.note, Presence::optional);
//   }
//   const std::string text = json_text(json_of(lap));

namespace gausscse {

/// A record to write, or one to read into.
template <typename Type, typename Record>
concept RecordOf = std::same_as<std::remove_const_t<Type>, Record>;

/// Treatment of a member that is missing: an error, or the member keeps its value.
enum class Presence { required, optional };

/// Reader of the members of one JSON object, each of its kind. All functions throw InputError that names `place` (a
/// file, perhaps with a part of it) and the member.
class JsonFields {
 public:
  /// Throws where it is no object. The object must outlive this.
  JsonFields(const nlohmann::json& object, std::string place);

  void operator()(const char* key, std::string& value, Presence presence = Presence::required);
  void operator()(const char* key, std::vector<std::string>& value);
  /// Reads a whole number within bounds.
  void operator()(const char* key, std::int64_t& value, std::int64_t least = 0, std::int64_t most = INT64_MAX,
                  Presence presence = Presence::required);
  void operator()(const char* key, std::uint64_t& value);
  /// Reads a number that is not negative, such as a time.
  void operator()(const char* key, double& value, Presence presence = Presence::required);
  /// Reads an array of pairs, each first text once.
  void operator()(const char* key, LabelsOnAxes& value);
  /// Reads an array of records, each of which has no other members; `noun` names one in messages.
  template <typename Record>
  void operator()(const char* key, std::vector<Record>& records, const char* noun) {
    for (const nlohmann::json& value : array(key)) {
      JsonFields fields(value, element_place(noun, records.size() + 1));
      list_members(records.emplace_back(), fields);
      fields.expect_no_others();
    }
  }
  /// Reads a record.
  template <typename Record>
  requires std::is_class_v<Record>
  void operator()(const char* key, Record& record) {
    JsonFields fields(member(key), place_);
    list_members(record, fields);
  }

  /// Throws where there are members that were not asked for.
  void expect_no_others() const;
  /// Compares the members with the hash that `checked_json_text` wrote, and throws where they differ, with `remedy` as
  /// the advice. Returns whether the file has a member "check": nothing is known of the values of one without.
  bool expect_as_written(std::string_view remedy);

  [[noreturn]] void refuse(const char* key, std::string_view expected) const;

 private:
  const nlohmann::json& member(const char* key);
  const nlohmann::json& array(const char* key);
  bool is_left_out(const char* key, Presence presence) const;
  std::string element_place(const char* noun, std::size_t number) const;

  const nlohmann::json& object_;
  std::string place_;
  std::set<std::string, std::less<>> read_;
};

/// Returns the members of a record, in their order, after those of `begin`.
template <typename Record>
nlohmann::ordered_json json_of(const Record& record, nlohmann::ordered_json begin = nlohmann::ordered_json::object());

/// Writer of the members of one JSON object.
class JsonMembers {
 public:
  explicit JsonMembers(nlohmann::ordered_json& object) : object_(object) {}

  template <typename Value, typename... Bounds>
  void operator()(const char* key, const Value& value, Bounds...) {
    if constexpr (requires { object_[key] = value; })
      object_[key] = value;
    else
      object_[key] = json_of(value);
  }
  /// Leaves out an empty text that need not be there.
  void operator()(const char* key, const std::string& value, Presence presence = Presence::required) {
    if (presence == Presence::required || !value.empty()) object_[key] = value;
  }
  /// Leaves out a 0 that need not be there.
  void operator()(const char* key, double value, Presence presence) {
    if (presence == Presence::required || value != 0) object_[key] = value;
  }
  template <typename Record>
  void operator()(const char* key, const std::vector<Record>& records, const char*) {
    nlohmann::ordered_json& array = object_[key] = nlohmann::ordered_json::array();
    for (const Record& record : records) array.push_back(json_of(record));
  }

 private:
  nlohmann::ordered_json& object_;
};

template <typename Record>
nlohmann::ordered_json json_of(const Record& record, nlohmann::ordered_json begin) {
  JsonMembers members(begin);
  list_members(record, members);
  return begin;
}

/// Format of a file that holds one record.
struct RecordFormat {
  const char* format;  ///< "gausscse-plan/1"
  const char* what;    ///< content of such a file: "plan of a study"
  const char* remedy;  ///< treatment of a file that was changed
};

/// Returns indented text that ends with a line break; bytes that are not UTF-8, as lines of a log may hold, are
/// replaced by U+FFFD.
std::string json_text(const nlohmann::ordered_json& value);

/// Returns the text of an object with "check" as last member: XXH3-128 of the values of all the others.
std::string checked_json_text(nlohmann::ordered_json value);

/// Returns the text of a record's file.
template <typename Record>
std::string record_text(const RecordFormat& format, const Record& record) {
  return checked_json_text(json_of(record, {{"format", format.format}}));
}

/// Reads a file into `fields`, whose members are then those of a record of this format. Throws InputError, naming the
/// file, where it is missing, is no such file or of another version, with whether that is newer, or was changed.
/// `list` reads the members. Returns whether the file has a hash of its values (see `JsonFields::expect_as_written`).
bool read_checked(const World& world, const std::filesystem::path& file, const RecordFormat& format,
                  const std::function<void(JsonFields& fields)>& list);

/// Reads a record's file. Throws as `read_checked`.
template <typename Record>
Record read_record(const World& world, const std::filesystem::path& file, const RecordFormat& format) {
  Record record;
  const bool is_checked = read_checked(world, file, format, [&](JsonFields& fields) { list_members(record, fields); });
  if constexpr (requires { record.is_checked; }) record.is_checked = is_checked;
  return record;
}

}  // namespace gausscse
