#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "data/sts/sts_file.hpp"
#include "fuzz/sts/check_pairs.hpp"

// A file of sentence pairs with scores, of any layout. A file that is read without bad lines is read where they are
// skipped, too.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  std::size_t skipping = 0, strict = 0;
  ReadReport report, strict_report;
  try {
    MemorySource source(input);
    const std::vector<StsPair> pairs = read_sts_pairs(source, "fuzz.txt", BadLines::skip, report);
    check_pairs(pairs);
    skipping = pairs.size();
  } catch (const InputError&) {
  }
  try {
    MemorySource source(input);
    strict = read_sts_pairs(source, "fuzz.txt", BadLines::error, strict_report).size();
    if (strict != skipping || report.bad_lines > 0) std::abort();
  } catch (const InputError&) {
  }
  return 0;
}
