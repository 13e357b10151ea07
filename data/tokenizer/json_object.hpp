#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/strict_json.hpp"
#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// A JSON object of a settings file with typed access. Every function throws InputError, naming file and key, where a
/// value is missing or of another type.
class JsonObject {
 public:
  /// Wraps `value`, which must outlive this. `where` is the file, and the path of keys within it, for messages.
  JsonObject(const nlohmann::json& value, std::string where);

  const std::string& where() const { return where_; }
  bool has(const std::string& key) const { return value_.contains(key); }

  /// Returns whether `key` is missing or null.
  bool is_null(const std::string& key) const;

  const nlohmann::json& at(const std::string& key) const;
  std::string string(const std::string& key) const;
  bool boolean(const std::string& key) const;
  bool boolean_or(const std::string& key, bool fallback) const;  ///< `fallback` where missing or null
  std::uint32_t id(const std::string& key) const;                ///< a token id, 0 to Vocabulary::largest_id
  JsonObject object(const std::string& key) const;

  /// Throws for any key that is not among `known`, with the nearest of them.
  void check_keys(std::initializer_list<const char*> known) const;

  /// Throws InputError for a value that has a sense but none that is supported here.
  [[noreturn]] void not_supported(const std::string& key, const std::string& what_is) const;

 private:
  const nlohmann::json& value_;
  std::string where_;
};

/// JSON object in a file of a model folder, empty where the folder has no such file. Throws InputError for a text that
/// is no JSON.
class JsonFile {
 public:
  JsonFile(const TokenizerFiles& files, const std::string& name);

  /// Returns the object; throws InputError where the file holds something else.
  JsonObject object() const { return {document_.value(), source_}; }
  const nlohmann::json& value() const { return document_.value(); }
  const std::string& source() const { return source_; }

 private:
  std::string source_;
  JsonDocument document_;
};

/// Returns the token id that `value` is, or nothing.
std::optional<std::uint32_t> find_token_id(const nlohmann::json& value);

/// Returns a token id of JSON; throws InputError, naming `where`, if it is none.
std::uint32_t json_token_id(const nlohmann::json& value, const std::string& where);

}  // namespace gausscse
