#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.hpp"

namespace gausscse {

/// A value that was read. Its children go before it does: the destructor of nlohmann's values asks for memory to hold
/// them, and would end the program where there is none.
class JsonDocument {
 public:
  explicit JsonDocument(nlohmann::json root = {}) noexcept : root_(std::move(root)) {}
  JsonDocument(JsonDocument&& other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  JsonDocument& operator=(JsonDocument&& other) noexcept;
  ~JsonDocument();

  const nlohmann::json& value() const { return root_; }
  nlohmann::json& value() { return root_; }
  operator const nlohmann::json&() const { return root_; }
  const nlohmann::json* operator->() const { return &root_; }

 private:
  nlohmann::json root_;
};

/// Parses one JSON text (RFC 8259) without leniency. Throws InputError with `source_name:line` and column; with the
/// column only, where the name is empty. Faults are a syntax error, an object with the same key twice, more than 100
/// nested arrays and objects, more than 4 million values, invalid UTF-8, a number no double can hold, and anything
/// after the value. Integers keep their sign: one without a sign in the text is `is_number_unsigned()`.
JsonDocument parse_strict_json(std::string_view text, std::string_view source_name);

/// Parses a whole file of at most `max_bytes`; throws InputError where it cannot be read.
JsonDocument read_strict_json(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{64} << 20,
                              Links links = Links::followed);

/// Member of an object in a file, with the hash of the values of all others.
inline constexpr const char* check_member = "check";

/// Returns that hash, their XXH3-128: neither blanks nor the order of members count, nor a "check" that is there.
std::string check_of(const nlohmann::json& object);

}  // namespace gausscse
