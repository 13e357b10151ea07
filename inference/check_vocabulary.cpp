#include "inference/check_vocabulary.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns whether `surplus` embeddings behind the last id are padding: up to a multiple of 8 or more, or a few.
bool is_padding(std::int64_t surplus, std::int64_t vocabulary_size) {
  constexpr std::int64_t least_multiple = 8, most = 1024;
  return surplus < most && (vocabulary_size % least_multiple == 0 || surplus * least_multiple <= vocabulary_size);
}

}  // namespace

std::string check_vocabulary(const Tokenizer& tokenizer, const EncoderConfig& encoder) {
  const auto ids = static_cast<std::int64_t>(tokenizer.vocabulary_size());
  if (ids == encoder.vocabulary_size) return "";
  const std::string counts =
      concat("the tokenizer has ", ids, " ids, but the vocabulary_size of the encoder's config.json is ",
             encoder.vocabulary_size);
  constexpr const char* remedy = "give the tokenizer files that belong to the encoder";
  const std::int64_t surplus = encoder.vocabulary_size - ids;
  if (surplus < 0) throw InputError(concat(counts, ": some tokens would have no embedding; ", remedy));
  const std::vector<std::string> tokens = tokenizer.tokens();
  if (std::find(tokens.begin(), tokens.end(), "") != tokens.end() || !is_padding(surplus, encoder.vocabulary_size))
    throw InputError(concat(counts, ": a vocabulary file that lost lines would silently turn words into unknown ones; ",
                            remedy, " (where its embeddings are padded, fill the vocabulary up with [unused...] ",
                            "entries)"));
  return concat(counts, ": the last ", surplus,
                " embeddings are taken for padding; if they had tokens, the vocabulary file lost its last lines");
}

}  // namespace gausscse
