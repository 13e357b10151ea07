#include "data/tokenizer/byte_level_bpe.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "data/tokenizer/byte_level_text.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

ByteLevelBpe::ByteLevelBpe(const Vocabulary& vocabulary, const std::vector<std::pair<std::string, std::string>>& merges,
                           const ByteLevelBpeSettings& settings, const std::string& vocabulary_source,
                           const std::string& merges_source)
    : add_prefix_space_(settings.add_prefix_space), merges_(vocabulary.entries(), merges, merges_source) {
  constexpr MergeTable::Symbol none = 0xFFFFFFFF;
  byte_symbols_.fill(none);
  const auto tokens = vocabulary.entries();
  std::vector<std::optional<std::string>> bytes;
  bytes.reserve(tokens.size());
  symbol_ids_.reserve(tokens.size());
  for (const auto& [token, id] : tokens) {
    bytes.push_back(byte_level_bytes(token));
    if (bytes.back() && bytes.back()->size() == 1) {
      byte_symbols_[static_cast<unsigned char>(bytes.back()->front())] =
          static_cast<MergeTable::Symbol>(symbol_ids_.size());
    }
    symbol_ids_.push_back(id);
  }
  for (std::size_t byte = 0; byte < 256; ++byte) {
    if (byte_symbols_[byte] != none) continue;
    std::string character;
    append_utf8(byte_level_character(static_cast<unsigned char>(byte)), character);
    throw InputError(concat(vocabulary_source, ": the vocabulary has no token ", quoted(character), " for byte ", byte,
                            ", so text with that byte would vanish; give the vocabulary of a byte-level model"));
  }
  std::vector<std::pair<std::string_view, std::uint32_t>> whole_words;
  std::vector<MergeTable::Symbol> symbols;
  for (std::size_t token = 0; token < tokens.size(); ++token) {
    if (!bytes[token] || bytes[token]->empty()) continue;
    if (!settings.ignore_merges) {
      symbols.clear();
      for (const char byte : *bytes[token]) symbols.push_back(byte_symbols_[static_cast<unsigned char>(byte)]);
      merges_.merge(symbols);
      if (symbols.size() != 1) continue;
    }
    whole_words.emplace_back(*bytes[token], tokens[token].second);
  }
  whole_words_ = ByteTrie(std::move(whole_words));
}

std::string_view ByteLevelBpe::normalize(std::string_view text, std::string&) const {
  return text;
}

void ByteLevelBpe::append_merged(std::string_view word, std::vector<std::uint32_t>& ids) const {
  std::vector<MergeTable::Symbol> symbols;
  symbols.reserve(word.size());
  for (const char byte : word) symbols.push_back(byte_symbols_[static_cast<unsigned char>(byte)]);
  merges_.merge(symbols);
  for (const MergeTable::Symbol symbol : symbols) ids.push_back(symbol_ids_[symbol]);
}

void ByteLevelBpe::append_word(std::string_view word, std::vector<std::uint32_t>& ids) const {
  const std::uint32_t id = whole_words_.find(word);
  if (id != ByteTrie::none) {
    ids.push_back(id);
  } else {
    append_merged(word, ids);
  }
}

void ByteLevelBpe::encode_normalized(std::string_view text, std::size_t limit, std::vector<std::uint32_t>& ids) const {
  std::string with_space;
  if (add_prefix_space_ && !text.empty() && text[0] != ' ') {
    with_space.reserve(text.size() + 1);
    with_space += ' ';
    with_space += text;
    text = with_space;
  }
  for (std::size_t begin = 0; begin < text.size() && ids.size() < limit;) {
    const std::size_t end = byte_level_word_end(text, begin);
    append_word(text.substr(begin, end - begin), ids);
    begin = end;
  }
}

void ByteLevelBpe::encode(std::string_view text, std::size_t limit, std::vector<std::uint32_t>& ids) const {
  encode_normalized(text, limit, ids);
}

}  // namespace gausscse
