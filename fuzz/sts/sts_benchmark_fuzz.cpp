#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "data/sts/sts_benchmark.hpp"
#include "fuzz/sts/check_pairs.hpp"

// A file of the STS benchmark.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    MemorySource source(input);
    check_pairs(read_sts_benchmark(source, "fuzz.csv"));
  } catch (const InputError&) {
  }
  return 0;
}
