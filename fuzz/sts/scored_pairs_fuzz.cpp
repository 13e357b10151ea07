#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "data/sts/semeval_year.hpp"
#include "fuzz/sts/check_pairs.hpp"

// The text up to a NUL is a file of pairs, the rest that of their scores.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const std::size_t end = input.find('\0');
    MemorySource texts(input.substr(0, end));
    MemorySource scores(end == std::string_view::npos ? std::string_view() : input.substr(end + 1));
    ReadReport report;
    check_pairs(read_scored_pairs(texts, "input.txt", scores, "gs.txt", BadLines::skip, report));
  } catch (const InputError&) {
  }
  return 0;
}
