// SNLI's and MNLI's txt and SICK's two layouts. The first byte chooses a header, so that rows are reached, or none.

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

constexpr std::string_view headers[] = {
    "",
    "gold_label\tsentence1\tsentence2\n",
    "sentence2\tx\tgold_label\ty\tsentence1\tlabel1\r\n",
    "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n",
    "sentence_A\tsentence_B\tentailment_label\tentailment_AB\tentailment_BA\tSemEval_set\r\n",
};

void check(bool holds) {
  if (!holds) std::abort();
}

std::size_t read(const std::string& text, const ReadOptions& options, ReadReport& report) {
  std::size_t pairs = 0;
  MemorySource source(text);
  for_each_nli_pair(source, "fuzz", options, report, [&](NliPair&& pair) {
    ++pairs;
    for (const std::string& sentence : {pair.premise, pair.hypothesis}) {
      check(!trimmed(sentence).empty() && (!options.trim || trimmed(sentence) == sentence));
      check(find_invalid_utf8(sentence) == std::string_view::npos);
    }
    check(!pair.entails_both_ways || text.find("B_entails_A") != std::string::npos);
  });
  return pairs;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::string text(headers[data[0] % std::size(headers)]);
  text.append(reinterpret_cast<const char*>(data + 1), size - 1);
  ReadReport all;
  try {
    const bool trim = data[0] >= 128;
    check(read(text, {BadLines::skip, "", trim}, all) == all.pairs);
  } catch (const InputError&) {
    return 0;
  }
  std::size_t of_sets = 0;
  bool has_sets = false;
  for (const char* set : {"TRAIN", "TRIAL", "TEST"}) {
    ReadReport one;
    try {
      of_sets += read(text, {BadLines::skip, set}, one);
    } catch (const InputError&) {
      has_sets = true;
    }
    check(one.bad_lines == all.bad_lines);
  }
  check(of_sets == all.pairs || (!has_sets && of_sets == 3 * all.pairs));
  ReadReport strict;
  try {
    check(read(text, {}, strict) == all.pairs && all.bad_lines == 0);
  } catch (const InputError&) {
    check(all.bad_lines > 0);
  }
  return 0;
}
