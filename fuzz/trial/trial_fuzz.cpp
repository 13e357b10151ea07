#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "config/trial/trial.hpp"

// The text up to a NUL is a trial file, the rest an override. A trial that is accepted must survive printing.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\0');
  std::vector<std::string> overrides;
  if (end != std::string_view::npos) overrides.emplace_back(input.substr(end + 1));
  try {
    const Trial trial = parse_trial(input.substr(0, end), "fuzz.yaml", "/base", overrides);
    const std::string printed = to_yaml(trial);
    if (parse_trial(printed, "printed.yaml", "/", {}) != trial) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
