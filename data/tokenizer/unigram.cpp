#include "data/tokenizer/unigram.hpp"

#include <algorithm>
#include <utility>

#include "data/tokenizer/text_block.hpp"
#include "data/tokenizer/unicode_properties.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

constexpr std::string_view mark = "\u2581";

constexpr double unknown_penalty = 10;

/// The best way to cut a word up to some byte: its score, and its last piece.
struct BestPath {
  double score = 0;
  std::uint32_t begin = ByteTrie::none;
  std::uint32_t id = 0;

  void offer(double other_score, std::size_t other_begin, std::uint32_t other_id) {
    if (begin != ByteTrie::none && other_score <= score) return;
    *this = {other_score, static_cast<std::uint32_t>(other_begin), other_id};
  }
};

/// Returns whether no mark and no white space begins with the byte.
bool is_within_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > ' ' && byte < 0xC2;
}

/// Returns the end of the white space at `at`, or `at` where there is none.
std::size_t white_space_end(std::string_view text, std::size_t at) {
  if (is_within_word(text[at])) return at;
  if (text[at] == ' ') return at + 1;
  std::size_t end = at;
  return is_white_space(next_code_point(text, end)) ? end : at;
}

/// Returns the length of the mark at `at`, or of a space, which is read as one; 0 where there is none.
std::size_t mark_length(std::string_view text, std::size_t at) {
  if (text[at] == ' ') return 1;
  return text.substr(at).starts_with(mark) ? mark.size() : 0;
}

}  // namespace

Unigram::Unigram(const Vocabulary& vocabulary, UnigramSettings settings)
    : settings_(std::move(settings)),
      trie_(vocabulary.entries()),
      unknown_score_(*std::min_element(settings_.scores.begin(), settings_.scores.end()) - unknown_penalty) {}

std::string_view Unigram::normalize(std::string_view text, std::string& buffer) const {
  return settings_.normalizer.normalize(text, buffer);
}

/// Returns the end of the word whose characters behind the mark begin at `begin`.
std::size_t Unigram::word_end(std::string_view text, std::size_t begin) const {
  for (std::size_t end = begin; end < text.size(); ++end) {
    if (is_within_word(text[end])) continue;
    if (settings_.splits_marks && mark_length(text, end) > 0) return end;
    if (settings_.splits_white_space && white_space_end(text, end) > end) return end;
  }
  return text.size();
}

/// Returns a text with its spaces as marks, and a mark before it if it shall have one and does not begin with one.
std::string Unigram::marked(std::string_view text, bool has_prefix) const {
  std::string result(has_prefix && mark_length(text, 0) == 0 ? mark : "");
  for (const char byte : text) {
    if (byte == ' ')
      result += mark;
    else
      result += byte;
  }
  return result;
}

void Unigram::encode_normalized(std::string_view text, bool begins_sentence, std::size_t limit,
                                std::vector<std::uint32_t>& ids) const {
  const auto has_prefix = [&](std::size_t at) {
    return settings_.prefix == PrefixMark::always ||
           (settings_.prefix == PrefixMark::first && begins_sentence && at == 0);
  };
  std::string with_mark(mark);
  const auto make = [&](std::string_view word, std::vector<std::uint32_t>& out) {
    with_mark.replace(mark.size(), std::string::npos, word);
    append_pieces(with_mark, out);
  };
  WordQueue words(WordCache::of_thread(), cache_owner_, ids, make);
  for (std::size_t at = 0; at < text.size() && ids.size() < limit;) {
    if (settings_.splits_white_space) {
      const std::size_t behind = white_space_end(text, at);
      if (behind > at) {
        at = behind;
        continue;
      }
    }
    const std::size_t length = mark_length(text, at);
    const std::size_t begin = at + length;
    TextBlock block;
    if (begin < text.size()) block = text_block(text, begin);
    std::size_t end = begin + leading_bytes({bytes_between(block.low, '!', '~'), bytes_between(block.high, '!', '~')});
    if (end < text.size() && (text[end] != ' ' || !settings_.splits_marks)) end = word_end(text, end);
    const std::string_view word = text.substr(begin, end - begin);
    if (!settings_.splits_marks || (length == 0 && !has_prefix(at))) {
      words.finish();
      append_pieces(marked(text.substr(at, end - at), has_prefix(at)), ids);
    } else if (word.size() <= WordKey::longest) {
      words.append(block, word.size(), word.data());
    } else {
      words.append_long(word);
    }
    at = end;
  }
  words.finish();
}

/// Appends the ids of the pieces of a word with its mark.
void Unigram::append_pieces(std::string_view word, std::vector<std::uint32_t>& ids) const {
  thread_local std::vector<BestPath> paths;  // by end of the path
  paths.assign(word.size() + 1, {});
  for (std::size_t begin = 0; begin < word.size();) {
    std::size_t character_end = begin;
    next_code_point(word, character_end);
    const double score = paths[begin].score;
    bool is_known = false;
    ByteTrie::Node node = ByteTrie::root;
    for (std::size_t end = begin; end < word.size();) {
      node = trie_.child(node, static_cast<unsigned char>(word[end++]));
      if (node == ByteTrie::none) break;
      const std::uint32_t id = trie_.value(node);
      if (id == ByteTrie::none) continue;
      is_known = is_known || end == character_end;
      paths[end].offer(score + settings_.scores[id], begin, id);
    }
    if (!is_known) paths[character_end].offer(score + unknown_score_, begin, settings_.unknown_id);
    begin = character_end;
  }
  const std::size_t first = ids.size();
  for (std::size_t end = word.size(); end > 0;) {
    std::size_t begin = paths[end].begin;
    std::uint32_t id = paths[end].id;
    if (id == settings_.unknown_id) {
      while (begin > 0 && paths[begin].id == id) begin = paths[begin].begin;
      const std::uint32_t whole = trie_.find(word.substr(begin, end - begin));
      if (whole != ByteTrie::none) id = whole;
    }
    ids.push_back(id);
    end = begin;
  }
  std::reverse(ids.begin() + static_cast<std::ptrdiff_t>(first), ids.end());
}

}  // namespace gausscse
