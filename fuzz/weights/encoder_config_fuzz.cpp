#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "model/weights/encoder_config.hpp"

/// Checks that a config that is accepted is in range and reads back the same when written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const gausscse::EncoderConfig config =
        gausscse::parse_encoder_config({reinterpret_cast<const char*>(data), size}, "input");
    if (config.hidden_size % config.heads != 0 || config.max_tokens() < 2) std::abort();
    if (config != gausscse::parse_encoder_config(gausscse::to_config_json(config), "written")) std::abort();
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
