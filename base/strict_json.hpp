#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

namespace gausscse {

/// Parses one JSON text (RFC 8259) without leniency. Throws InputError, with `source_name:line` and column, on a syntax
/// error, an object with the same key twice, more than 100 nested arrays and objects, more than 4 million values,
/// invalid UTF-8, a number no double can hold, or anything after the value. Integers keep their sign: what is
/// `is_number_unsigned()` was written so.
nlohmann::json parse_strict_json(std::string_view text, std::string_view source_name);

/// The same for a whole file of at most `max_bytes`; throws InputError where the file cannot be read.
nlohmann::json read_strict_json(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{64} << 20);

}  // namespace gausscse
