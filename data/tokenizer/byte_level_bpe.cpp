#include "data/tokenizer/byte_level_bpe.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>

#include "base/error.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

// Over this many symbols the quadratic search for the next merge loses to a heap.
constexpr std::size_t longest_short_word = 48;

// Length of the word at `begin`, if it is one of ASCII letters, with one space before them or not, that ends in the
// block; else 0.
std::size_t ascii_word_length(std::string_view text, std::size_t begin, const TextBlock& block) {
  TextBlock letters = ascii_letters(block);
  const bool space = text[begin] == ' ';
  letters.low |= std::uint64_t{space} << 7;
  const std::size_t length = leading_bytes(letters);
  const std::size_t end = begin + length;
  if (length == std::size_t{space} || length == TextBlock::bytes) return 0;
  // A character over ASCII may be a letter.
  return end == text.size() || static_cast<unsigned char>(text[end]) < 0x80 ? length : 0;
}

}  // namespace

MergeTable::MergeTable(const std::vector<std::pair<std::string_view, std::uint32_t>>& tokens,
                       const std::vector<std::pair<std::string, std::string>>& merges, const std::string& source) {
  const auto symbol = [&](std::string_view token, std::size_t rank) {
    const auto found = std::lower_bound(tokens.begin(), tokens.end(), token,
                                        [](const auto& entry, std::string_view name) { return entry.first < name; });
    if (found == tokens.end() || found->first != token) {
      const auto& [left, right] = merges[rank];
      throw InputError(concat(source, ": merge ", rank + 1, " (", quoted(left), " ", quoted(right), ") needs token ",
                              quoted(token),
                              ", which the vocabulary does not have; give merges and vocabulary of the "
                              "same model"));
    }
    return static_cast<Symbol>(found - tokens.begin());
  };
  merges_.reserve(merges.size());
  results_.reserve(merges.size());
  for (std::size_t rank = 0; rank < merges.size(); ++rank) {
    const auto& [left, right] = merges[rank];
    merges_.push_back({symbol(left, rank), symbol(right, rank), static_cast<std::uint32_t>(rank)});
    results_.push_back(symbol(left + right, rank));
  }
  std::sort(merges_.begin(), merges_.end(), [](const Merge& a, const Merge& b) {
    return std::tie(a.left, a.right, a.rank) < std::tie(b.left, b.right, b.rank);
  });
  for (std::size_t i = 1; i < merges_.size(); ++i) {
    if (merges_[i].left != merges_[i - 1].left || merges_[i].right != merges_[i - 1].right) continue;
    const auto& [left, right] = merges[merges_[i].rank];
    throw InputError(concat(source, ": merge ", merges_[i].rank + 1, " (", quoted(left), " ", quoted(right),
                            ") is the same as merge ", merges_[i - 1].rank + 1,
                            ", and a merge has one rank; give the model's own file"));
  }
  left_begin_.assign(tokens.size() + 1, 0);
  for (const Merge& merge : merges_) ++left_begin_[merge.left + 1];
  for (std::size_t i = 1; i < left_begin_.size(); ++i) left_begin_[i] += left_begin_[i - 1];
  slots_.resize(std::bit_ceil(2 * merges_.size() + 1));
  for (const Merge& merge : merges_) {
    Slot& slot = slots_[slot_of(merge.left, merge.right)];
    slot.is_shared = slot.merge.rank != no_rank;
    // The merge of lower rank is the more frequent one.
    if (merge.rank < slot.merge.rank) slot.merge = merge;
  }
}

std::size_t MergeTable::slot_of(Symbol left, Symbol right) const {
  const std::uint64_t hash = (std::uint64_t{left} << 32 | right) * 0x9E3779B97F4A7C15;
  return (hash >> 32) & (slots_.size() - 1);
}

std::uint32_t MergeTable::rank(Symbol left, Symbol right) const {
  const Slot& slot = slots_[slot_of(left, right)];
  if (slot.merge.left == left && slot.merge.right == right) return slot.merge.rank;
  if (!slot.is_shared) return no_rank;
  const auto begin = merges_.begin() + left_begin_[left];
  const auto end = merges_.begin() + left_begin_[left + 1];
  const auto found =
      std::lower_bound(begin, end, right, [](const Merge& merge, Symbol wanted) { return merge.right < wanted; });
  return found != end && found->right == right ? found->rank : no_rank;
}

void MergeTable::merge(std::vector<Symbol>& symbols) const {
  if (symbols.size() <= longest_short_word) {
    merge_short(symbols);
  } else {
    merge_long(symbols);
  }
}

void MergeTable::merge_short(std::vector<Symbol>& symbols) const {
  std::uint32_t ranks[longest_short_word];  // of the pairs (i, i + 1)
  std::size_t pairs = symbols.empty() ? 0 : symbols.size() - 1;
  for (std::size_t i = 0; i < pairs; ++i) ranks[i] = rank(symbols[i], symbols[i + 1]);
  while (pairs > 0) {
    const auto at = static_cast<std::size_t>(std::min_element(ranks, ranks + pairs) - ranks);
    if (ranks[at] == no_rank) break;
    symbols[at] = results_[ranks[at]];
    std::copy(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 2,
              symbols.begin() + static_cast<std::ptrdiff_t>(pairs) + 1,
              symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    std::copy(ranks + at + 1, ranks + pairs, ranks + at);
    --pairs;
    if (at > 0) ranks[at - 1] = rank(symbols[at - 1], symbols[at]);
    if (at < pairs) ranks[at] = rank(symbols[at], symbols[at + 1]);
  }
  if (!symbols.empty()) symbols.resize(pairs + 1);
}

void MergeTable::merge_long(std::vector<Symbol>& symbols) const {
  constexpr std::size_t gone = static_cast<std::size_t>(-1);
  const std::size_t size = symbols.size();
  std::vector<std::size_t> next(size);
  std::vector<std::size_t> previous(size);
  for (std::size_t i = 0; i < size; ++i) {
    next[i] = i + 1;
    previous[i] = i == 0 ? gone : i - 1;
  }
  struct Candidate {
    std::uint32_t rank;
    std::size_t at;
    bool operator>(const Candidate& other) const { return std::tie(rank, at) > std::tie(other.rank, other.at); }
  };
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const auto offer = [&](std::size_t at) {
    if (at == gone || next[at] >= size) return;
    const std::uint32_t value = rank(symbols[at], symbols[next[at]]);
    if (value != no_rank) queue.push({value, at});
  };
  for (std::size_t i = 0; i < size; ++i) offer(i);
  while (!queue.empty()) {
    const Candidate top = queue.top();
    queue.pop();
    // The pair may have changed since it was offered.
    if (next[top.at] == gone || next[top.at] >= size) continue;
    const std::size_t right = next[top.at];
    if (rank(symbols[top.at], symbols[right]) != top.rank) continue;
    symbols[top.at] = results_[top.rank];
    next[top.at] = next[right];
    if (next[right] < size) previous[next[right]] = top.at;
    next[right] = gone;
    offer(previous[top.at]);
    offer(top.at);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size; i = next[i]) symbols[kept++] = symbols[i];
  symbols.resize(kept);
}

ByteLevelBpe::ByteLevelBpe(const Vocabulary& vocabulary, const std::vector<std::pair<std::string, std::string>>& merges,
                           const ByteLevelBpeSettings& settings, const std::string& vocabulary_source,
                           const std::string& merges_source)
    : normalizer_(settings.normalizer),
      add_prefix_space_(settings.add_prefix_space),
      merges_(vocabulary.entries(), merges, merges_source) {
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
  if (!settings.ignore_merges) return;
  std::vector<std::pair<std::string_view, std::uint32_t>> whole_words;
  for (std::size_t token = 0; token < tokens.size(); ++token)
    if (bytes[token] && !bytes[token]->empty()) whole_words.emplace_back(*bytes[token], tokens[token].second);
  whole_words_ = ByteTrie(std::move(whole_words));
}

std::string_view ByteLevelBpe::normalize(std::string_view text, std::string& buffer) const {
  return normalizer_.normalize(text, buffer);
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

void ByteLevelBpe::encode_normalized(std::string_view text, bool /*begins_sentence*/, std::size_t limit,
                                     std::vector<std::uint32_t>& ids) const {
  std::string with_space;
  if (add_prefix_space_ && !text.empty() && text[0] != ' ') {
    with_space.reserve(text.size() + 1);
    with_space += ' ';
    with_space += text;
    text = with_space;
  }
  const auto make = [this](std::string_view word, std::vector<std::uint32_t>& out) { append_word(word, out); };
  WordQueue words(WordCache::of_thread(), cache_owner_, ids, make);
  for (std::size_t begin = 0; begin < text.size() && ids.size() < limit;) {
    const TextBlock block = text_block(text, begin);
    const std::size_t letters = ascii_word_length(text, begin, block);
    const std::size_t end = letters != 0 ? begin + letters : byte_level_word_end(text, begin);
    const std::string_view word = text.substr(begin, end - begin);
    if (word.size() <= WordKey::longest) {
      words.append(block, word.size(), word.data());
    } else {
      words.append_long(word);
    }
    begin = end;
  }
  words.finish();
}

}  // namespace gausscse
