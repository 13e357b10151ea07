#include "data/tokenizer/word_piece.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "data/tokenizer/unicode_properties.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

std::u32string clean(std::string_view text, const BertNormalizer& settings) {
  std::u32string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    char32_t c = next_code_point(text, i);
    if (settings.clean_text) {
      if (is_removed_by_clean_text(c)) continue;
      if (is_white_space(c)) c = U' ';
    }
    if (settings.handle_chinese_characters && is_cjk_ideograph(c)) {
      out.push_back(U' ');
      out.push_back(c);
      out.push_back(U' ');
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::u32string decompose_without_marks(const std::u32string& text) {
  std::u32string decomposed;
  decomposed.reserve(text.size());
  for (const char32_t c : text) {
    if (c < 0xC0) {  // nothing below decomposes
      decomposed.push_back(c);
    } else {
      append_decomposition(c, decomposed);
    }
  }
  // Canonical order: within each run of combining characters, by class, else as they stood.
  auto run = decomposed.begin();
  while (run != decomposed.end()) {
    run = std::find_if(run, decomposed.end(), [](char32_t c) { return c >= 0x300 && combining_class(c) != 0; });
    const auto end = std::find_if(run, decomposed.end(), [](char32_t c) { return combining_class(c) == 0; });
    std::stable_sort(run, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    run = end;
  }
  decomposed.erase(std::remove_if(decomposed.begin(), decomposed.end(), is_nonspacing_mark), decomposed.end());
  return decomposed;
}

}  // namespace

std::string BertNormalizer::normalize(std::string_view text) const {
  std::u32string code_points = clean(text, *this);
  if (strip_accents) code_points = decompose_without_marks(code_points);
  if (lowercase) {
    std::u32string lower;
    lower.reserve(code_points.size());
    for (const char32_t c : code_points) append_lower_case(c, lower);
    code_points = std::move(lower);
  }
  std::string out;
  out.reserve(text.size());
  for (const char32_t c : code_points) append_utf8(c, out);
  return out;
}

WordPiece::WordPiece(const Vocabulary& vocabulary, const WordPieceSettings& settings, const std::string& source)
    : normalizer_(settings.normalizer),
      max_characters_per_word_(settings.max_characters_per_word),
      trie_(vocabulary.entries()),
      continuation_root_(trie_.walk(settings.continuation_prefix)),
      unknown_id_(vocabulary.require(settings.unknown_token, source, "the unknown token")) {
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const auto c = static_cast<char32_t>(byte);
    normalized_bytes_[byte] = static_cast<unsigned char>(byte);
    if (byte >= 0x80 || (normalizer_.clean_text && is_removed_by_clean_text(c))) {
      byte_kinds_[byte] = ByteKind::full;
    } else if (is_white_space(c)) {
      byte_kinds_[byte] = ByteKind::space;
    } else {
      byte_kinds_[byte] = is_bert_punctuation(c) ? ByteKind::punctuation : ByteKind::word;
      if (normalizer_.lowercase && c >= 'A' && c <= 'Z') normalized_bytes_[byte] |= 0x20;
    }
  }
}

std::string_view WordPiece::normalize(std::string_view text, std::string& buffer) const {
  buffer = normalizer_.normalize(text);
  return buffer;
}

template <typename Map>
void WordPiece::append_word(std::string_view word, std::size_t characters, const Map& map,
                            std::vector<std::uint32_t>& ids) const {
  const std::size_t first_id = ids.size();
  ByteTrie::Node start = ByteTrie::root;
  bool known = characters <= max_characters_per_word_;
  while (known && !word.empty()) {
    const ByteTrie::Prefix piece =
        start == ByteTrie::none ? ByteTrie::Prefix{0, ByteTrie::none} : trie_.longest_prefix(word, start, map);
    known = piece.length != 0;
    if (known) ids.push_back(piece.value);
    word.remove_prefix(piece.length);
    start = continuation_root_;
  }
  if (known) return;
  ids.resize(first_id);
  ids.push_back(unknown_id_);
}

void WordPiece::encode_normalized(std::string_view text, bool /*begins_sentence*/, std::size_t limit,
                                  std::vector<std::uint32_t>& ids) const {
  const auto same = [](unsigned char byte) { return byte; };
  const auto append = [&](std::size_t begin, std::size_t end, std::size_t characters) {
    if (begin != end) append_word(text.substr(begin, end - begin), characters, same, ids);
  };
  std::size_t word_begin = 0;
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size() && ids.size() < limit;) {
    const std::size_t here = i;
    const char32_t c = next_code_point(text, i);
    const bool space = is_white_space(c);
    if (!space && !is_bert_punctuation(c)) {
      ++characters;
      continue;
    }
    append(word_begin, here, characters);
    if (!space) append(here, i, 1);
    word_begin = i;
    characters = 0;
  }
  if (ids.size() < limit) append(word_begin, text.size(), characters);
}

// The end of the word that begins at `begin`. A word with a character for the full normalizer ends at a space: marks
// may combine with characters before them, but not across spaces.
std::size_t WordPiece::chunk_end(std::string_view text, std::size_t begin) const {
  std::size_t end = begin;
  while (end < text.size() && kind(text[end]) == ByteKind::word) ++end;
  if (end < text.size() && kind(text[end]) == ByteKind::full)
    while (end < text.size() && kind(text[end]) != ByteKind::space) ++end;
  return end;
}

void WordPiece::append_chunk(std::string_view chunk, std::size_t limit, std::vector<std::uint32_t>& ids) const {
  if (std::any_of(chunk.begin(), chunk.end(), [this](char byte) { return kind(byte) == ByteKind::full; }))
    return encode_normalized(normalizer_.normalize(chunk), false, limit, ids);
  append_word(
      chunk, chunk.size(), [this](unsigned char byte) { return normalized_bytes_[byte]; }, ids);
}

void WordPiece::encode(std::string_view text, bool /*begins_sentence*/, std::size_t limit,
                       std::vector<std::uint32_t>& ids) const {
  const auto make = [this](std::string_view chunk, std::vector<std::uint32_t>& out) {
    append_chunk(chunk, std::numeric_limits<std::size_t>::max(), out);
  };
  WordQueue words(WordCache::of_thread(), cache_owner_, ids, make);
  const std::uint64_t lower_case = normalizer_.lowercase ? eight_times(0x20) : 0;
  for (std::size_t begin = 0; begin < text.size() && ids.size() < limit;) {
    if (kind(text[begin]) == ByteKind::space) {
      ++begin;
      continue;
    }
    TextBlock block = text_block(text, begin);
    const TextBlock letters = ascii_letters(block);
    const TextBlock digits = ascii_digits(block);
    const std::size_t run = leading_bytes({letters.low | digits.low, letters.high | digits.high});
    const std::size_t behind = begin + run;
    std::size_t end = behind + (run == 0);
    if (run < TextBlock::bytes && (behind == text.size() || is_boundary(kind(text[behind])))) {
      // One ASCII punctuation character, or a word of ASCII letters and digits.
      block.low |= letters.low >> 2 & lower_case;
      block.high |= letters.high >> 2 & lower_case;
    } else {
      end = chunk_end(text, begin);
    }
    if (end - begin <= WordKey::longest) {
      words.append(block, end - begin, text.data() + begin);
    } else if (end - begin <= WordCache::longest_other) {
      words.append_long(text.substr(begin, end - begin));
    } else {
      words.finish();
      append_chunk(text.substr(begin, end - begin), limit, ids);
    }
    begin = end + (end < text.size() && text[end] == ' ');
  }
  words.finish();
}

}  // namespace gausscse
