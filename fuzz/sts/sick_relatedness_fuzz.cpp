#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "data/sts/sick_relatedness.hpp"
#include "fuzz/sts/check_pairs.hpp"

// A file of SICK, of either layout.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    MemorySource source(input);
    check_pairs(read_sick_relatedness(source, "fuzz.txt"));
  } catch (const InputError&) {
  }
  return 0;
}
