#include "data/corpus/token_counts.hpp"

namespace gausscse {

void TokenCounts::add(const Tokenizer& tokenizer, std::string_view sentence, std::span<const std::uint32_t> ids,
                      bool is_cut) {
  const UnknownTokens of_sentence = tokenizer.count_unknown(ids);
  ++sentences;
  cut += is_cut;
  tokens += of_sentence.tokens;
  unknown += of_sentence.unknown;
  offer_example(sentence, of_sentence.unknown);
}

void TokenCounts::add(const TokenCounts& other) {
  sentences += other.sentences;
  cut += other.cut;
  tokens += other.tokens;
  unknown += other.unknown;
  offer_example(other.example, other.unknown_of_example);
}

void TokenCounts::offer_example(std::string_view sentence, std::uint64_t unknown_tokens) {
  if (unknown_tokens == 0 || unknown_tokens < unknown_of_example) return;
  if (unknown_tokens == unknown_of_example && sentence >= example) return;
  unknown_of_example = unknown_tokens;
  example = sentence;
}

}  // namespace gausscse
