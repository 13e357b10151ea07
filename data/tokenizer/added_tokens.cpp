#include "data/tokenizer/added_tokens.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "data/tokenizer/unicode_properties.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

// Where the white space that ends at `end` begins, but not before `lowest`.
std::size_t space_begin_before(std::string_view text, std::size_t end, std::size_t lowest) {
  std::size_t begin = end;
  while (begin > lowest) {
    std::size_t before = begin;
    if (!is_white_space(previous_code_point(text, before))) break;
    begin = before;
  }
  return std::max(begin, lowest);
}

bool word_character_before(std::string_view text, std::size_t offset) {
  return offset > 0 && is_word_character(previous_code_point(text, offset));
}

bool word_character_at(std::string_view text, std::size_t offset) {
  return offset < text.size() && is_word_character(next_code_point(text, offset));
}

}  // namespace

AddedTokenSet::AddedTokenSet(std::vector<AddedToken> tokens, const std::string& source) : tokens_(std::move(tokens)) {
  first_bytes_.fill(false);
  std::vector<std::pair<std::string_view, std::uint32_t>> contents;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string& content = tokens_[i].content;
    if (content.empty()) {
      throw InputError(concat(source, ": the added token of id ", tokens_[i].id,
                              " is empty, or nothing of it is left after normalization, so it would be everywhere; "
                              "remove it"));
    }
    first_bytes_[static_cast<unsigned char>(content[0])] = true;
    contents.emplace_back(content, static_cast<std::uint32_t>(i));
  }
  std::sort(contents.begin(), contents.end());
  for (std::size_t i = 1; i < contents.size(); ++i) {
    if (contents[i].first != contents[i - 1].first) continue;
    throw InputError(concat(source, ": two added tokens look the same in a text, ", quoted(contents[i].first),
                            ", and only one could be meant; remove one"));
  }
  if (std::count(first_bytes_.begin(), first_bytes_.end(), true) == 1)
    only_first_byte_ = contents.front().first.front();
  contents_ = ByteTrie(std::move(contents));
}

// The first offset from `from` on where a token may begin, or the text's size.
std::size_t AddedTokenSet::find_first_byte(std::string_view text, std::size_t from) const {
  if (only_first_byte_) return std::min(text.find(*only_first_byte_, from), text.size());
  while (from < text.size() && !first_bytes_[static_cast<unsigned char>(text[from])]) ++from;
  return from;
}

const AddedToken* AddedTokenScanner::find_match(std::size_t& begin, std::size_t& end) {
  while (searched_ < text_.size()) {
    searched_ = tokens_.find_first_byte(text_, searched_);
    const ByteTrie::Prefix match = tokens_.contents_.longest_prefix(text_.substr(searched_));
    if (match.length == 0) {
      ++searched_;
      continue;
    }
    begin = searched_;
    end = begin + match.length;
    searched_ = end;
    const AddedToken& token = tokens_.tokens_[match.value];
    if (token.single_word && (word_character_before(text_, begin) || word_character_at(text_, end))) continue;
    return &token;
  }
  return nullptr;
}

std::size_t AddedTokenScanner::space_end(std::size_t begin) {
  if (begin < space_begin_ || begin >= space_end_) {
    space_begin_ = begin;
    std::size_t end = begin;
    while (end < text_.size()) {
      std::size_t behind = end;
      if (!is_white_space(next_code_point(text_, behind))) break;
      end = behind;
    }
    space_end_ = end;
  }
  return space_end_;
}

bool AddedTokenScanner::next(Piece& piece) {
  if (pending_ == nullptr) {
    std::size_t begin = text_.size();
    std::size_t end = begin;
    pending_ = find_match(begin, end);
    if (pending_ != nullptr && pending_->lstrip) begin = space_begin_before(text_, begin, std::min(begin, consumed_));
    if (pending_ != nullptr && pending_->rstrip) end = space_end(end);
    pending_end_ = end;
    if (consumed_ < begin) {
      piece = {false, 0, text_.substr(consumed_, begin - consumed_)};
      consumed_ = begin;
      return true;
    }
    if (pending_ == nullptr) return false;
  }
  piece = {true, pending_->id, {}};
  consumed_ = pending_end_;
  pending_ = nullptr;
  return true;
}

AddedToken parse_added_token(const JsonObject& entry) {
  AddedToken token;
  token.content = entry.string("content");
  token.single_word = entry.boolean_or("single_word", false);
  token.lstrip = entry.boolean_or("lstrip", false);
  token.rstrip = entry.boolean_or("rstrip", false);
  // Special tokens are looked for as they stand unless the file says otherwise.
  token.normalized = entry.boolean_or("normalized", !entry.boolean_or("special", false));
  return token;
}

}  // namespace gausscse
