// Lines of SNLI's jsonl. For any lines, strict and skipping readers must agree with each other and with the strict JSON
// parser of base/ on which lines are good.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "data/corpus/corpus_readers.hpp"
#include "data/corpus/json_row.hpp"
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

/// Returns whether the line is good; some value of the keys that are asked for may be missing.
bool is_good_line(std::string_view line) {
  try {
    check_utf8(line);
    JsonRow({"gold_label", "sentence1", "sentence2"}).parse(line);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

bool is_strict_json(std::string_view line) {
  try {
    return parse_strict_json(line, "line")->is_object();
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(!is_good_line(text) || is_strict_json(text));

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
