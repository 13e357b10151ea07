#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gausscse {

/// Refuses a document that is not of `format` ("gausscse-plan/1"): `what` it should be ("plan of a study"), and whether
/// a newer or an older version wrote it. Throws InputError, naming `source`.
void check_json_format(const nlohmann::json& document, std::string_view format, std::string_view what,
                       const std::string& source);

/// Reader of the members of one JSON object, each of which must be there and of its kind. All functions throw
/// InputError that names `place` (a file, perhaps with a part of it) and the member.
class JsonFields {
 public:
  /// Throws where it is no object. The object must outlive this.
  JsonFields(const nlohmann::json& object, std::string place);

  const nlohmann::json& array(const char* key);
  std::string text(const char* key);
  /// Returns an empty value where there is no such member.
  std::string text_if_there(const char* key);
  std::vector<std::string> texts(const char* key);
  std::int64_t integer(const char* key, std::int64_t least, std::int64_t most = INT64_MAX);
  std::uint64_t bytes(const char* key);
  /// Returns a time that is not negative.
  double seconds(const char* key);
  /// Throws where there are members that were not asked for.
  void expect_no_others() const;
  /// Returns the same for what `checked_json_text` wrote, and throws where its content is not what was written, with
  /// `remedy` as what to do. Returns whether the file has a member "check": nothing is known of the values of one
  /// without.
  bool expect_as_written(std::string_view remedy);

  [[noreturn]] void refuse(const char* key, std::string_view expected) const;

 private:
  const nlohmann::json& member(const char* key);

  const nlohmann::json& object_;
  std::string place_;
  std::set<std::string, std::less<>> read_;
};

/// Returns indented text that ends with a line break; bytes that are not UTF-8, as lines of a log may hold, are
/// replaced by U+FFFD.
std::string json_text(const nlohmann::ordered_json& value);

/// Returns the same with "check" as last member: XXH3-128 of the values of all the others.
std::string checked_json_text(nlohmann::ordered_json value);

}  // namespace gausscse
