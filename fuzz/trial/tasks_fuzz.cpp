#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "config/trial/task_map.hpp"

// A file of tasks.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  try {
    if (parse_tasks({reinterpret_cast<const char*>(data), size}, "fuzz.yaml", "/base").empty()) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
