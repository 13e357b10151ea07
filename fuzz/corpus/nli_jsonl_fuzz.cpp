// Lines of SNLI's jsonl. For any lines, strict and skipping readers must agree on which lines are good.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/sentence.hpp"

namespace {

using namespace gausscse;

void check(bool holds) {
  if (!holds) std::abort();
}

void check_pair(const NliPair& pair) {
  for (const std::string& sentence : {pair.premise, pair.hypothesis}) {
    check(!trimmed(sentence).empty());
    check(find_invalid_utf8(sentence) == std::string_view::npos);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::size_t pairs = 0;
  bool refused = false;
  ReadReport skipping;
  try {
    MemorySource source(text);
    for_each_nli_pair(source, "fuzz", {BadLines::skip, ""}, skipping, [&](NliPair&& pair) {
      check_pair(pair);
      ++pairs;
    });
  } catch (const InputError&) {
    refused = true;
  }
  check(pairs == skipping.pairs);
  ReadReport strict;
  try {
    MemorySource source(text);
    for_each_nli_pair(source, "fuzz", {}, strict, [](NliPair&&) {});
    check(!refused && pairs == strict.pairs && skipping.bad_lines == 0);
  } catch (const InputError&) {
    check(skipping.bad_lines > 0 || refused);
  }
  return 0;
}
