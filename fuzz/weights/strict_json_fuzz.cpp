#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "base/strict_json.hpp"

/// Checks that an accepted text has the value that the lenient parser reads, and reads back the same when written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const nlohmann::json value = gausscse::parse_strict_json(text, "input");
    if (value != nlohmann::json::parse(text)) std::abort();
    if (value != gausscse::parse_strict_json(value.dump(), "written").value()) std::abort();
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
