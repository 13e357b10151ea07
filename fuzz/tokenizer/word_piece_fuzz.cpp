// vocab.txt and a text: a byte of settings, the vocabulary up to the first zero byte, the text.

#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/utf8_text.hpp"
#include "data/tokenizer/word_piece.hpp"
#include "fuzz/tokenizer/fuzz_checks.hpp"

namespace {

// The short way for ASCII and the full normalizer must agree.
void check_both_ways(const gausscse::WordPiece& model, std::string_view text) {
  std::vector<std::uint32_t> directly;
  model.encode(text, true, 1000000, directly);
  std::string buffer;
  std::vector<std::uint32_t> normalized;
  model.encode_normalized(model.normalize(text, buffer), true, 1000000, normalized);
  gausscse::require(directly == normalized);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned flags = data[0];
  const std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t end = std::min(input.find('\0'), input.size());
  const std::string vocabulary_text = std::string("[UNK]\n[CLS]\n[SEP]\n").append(input.substr(0, end));
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  try {
    gausscse::WordPieceSettings settings;
    settings.normalizer = {(flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, (flags & 8) != 0};
    settings.continuation_prefix = (flags & 16) != 0 ? "" : "##";
    settings.max_characters_per_word = 1 + flags / 32 * 5;
    const auto vocabulary = gausscse::Vocabulary::from_lines(vocabulary_text, "vocab.txt");
    std::string repaired;
    gausscse::append_repaired_utf8(text, repaired);
    check_both_ways(gausscse::WordPiece(vocabulary, settings, "vocab.txt"), repaired);
    const auto tokenizer = gausscse::make_tokenizer({{}, {{"vocab.txt", vocabulary_text}}});
    gausscse::check_encoding(*tokenizer, text, 3 + flags % 8);
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
