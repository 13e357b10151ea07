#include "data/tokenizer/folder_tokenizer.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/tokenizer/utf8_text.hpp"

namespace gausscse {

namespace {

constexpr std::size_t least_max_tokens = 3;                // [CLS], one token of the sentence, [SEP]
constexpr std::size_t most_tokens = std::size_t{1} << 62;  // "no limit" must not overflow

std::unique_ptr<SubwordModel> make_model(const TokenizerSettings& settings) {
  if (const auto* word_piece = std::get_if<WordPieceSettings>(&settings.model))
    return std::make_unique<WordPiece>(settings.vocabulary, *word_piece, settings.source);
  if (const auto* unigram = std::get_if<UnigramSettings>(&settings.model))
    return std::make_unique<Unigram>(settings.vocabulary, *unigram);
  const auto& bpe = std::get<ByteLevelBpeModel>(settings.model);
  return std::make_unique<ByteLevelBpe>(settings.vocabulary, bpe.merges, bpe.settings, settings.source,
                                        bpe.merges_source);
}

}  // namespace

FolderTokenizer::FolderTokenizer(TokenizerSettings settings, std::string fingerprint,
                                 std::vector<std::filesystem::path> files)
    : model_(make_model(settings)),
      ids_before_(std::move(settings.ids_before)),
      ids_after_(std::move(settings.ids_after)),
      vocabulary_size_(settings.vocabulary.id_limit()),
      vocabulary_(std::move(settings.vocabulary)),
      fingerprint_(std::move(fingerprint)),
      files_(std::move(files)),
      lowers_sentences_(settings.lowers_sentences),
      cuts_begin_(settings.cuts_begin.value_or(false)),
      limits_(std::move(settings.limits)),
      warnings_(std::move(settings.warnings)) {
  std::vector<AddedToken> raw;
  std::vector<AddedToken> normalized;
  for (AddedToken& token : settings.added_tokens) {
    vocabulary_size_ = std::max(vocabulary_size_, std::size_t{token.id} + 1);
    added_tokens_.emplace_back(token.content, token.id);
    if (!token.normalized) {
      raw.push_back(std::move(token));
      continue;
    }
    std::string buffer;
    token.content = std::string(model_->normalize(token.content, buffer));
    normalized.push_back(std::move(token));
  }
  raw_tokens_ = AddedTokenSet(std::move(raw), settings.source);
  normalized_tokens_ = AddedTokenSet(std::move(normalized), settings.source);
}

bool FolderTokenizer::encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const {
  const std::size_t special = ids_before_.size() + ids_after_.size();
  if (max_tokens < least_max_tokens || max_tokens <= special) {
    throw InputError(concat("max_tokens is ", max_tokens, ", which leaves no room for a sentence: a tokenizer with ",
                            special, " special tokens needs at least ", std::max(least_max_tokens, special + 1)));
  }
  std::string repaired;
  if (find_invalid_utf8(sentence) != std::string_view::npos) {
    append_repaired_utf8(sentence, repaired);
    sentence = repaired;
  }
  std::string lowered;
  if (lowers_sentences_) {
    append_lower_cased(sentence, lowered);
    sentence = lowered;
  }
  const std::size_t sentence_begin = ids.size();
  ids.insert(ids.end(), ids_before_.begin(), ids_before_.end());
  const std::size_t room_begin = ids.size();
  const std::size_t room_end = room_begin + std::min(max_tokens - special, most_tokens);
  // One token more than fits shows whether the sentence is cut at its end; the rest of a long one need not be looked
  // at.
  encode_text(sentence, cuts_begin_ ? most_tokens : room_end + 1, ids);
  const bool cut = ids.size() > room_end;
  if (cut) {
    const auto surplus = static_cast<std::ptrdiff_t>(ids.size() - room_end);
    const auto first = cuts_begin_ ? ids.begin() + static_cast<std::ptrdiff_t>(room_begin) : ids.end() - surplus;
    ids.erase(first, first + surplus);
  }
  ids.insert(ids.end(), ids_after_.begin(), ids_after_.end());
  note_length(ids.size() - sentence_begin);
  return cut;
}

void FolderTokenizer::note_length(std::size_t tokens) const {
  std::size_t known = longest_.load(std::memory_order_relaxed);
  while (tokens > known && !longest_.compare_exchange_weak(known, tokens, std::memory_order_relaxed)) {
  }
}

UnknownTokens FolderTokenizer::count_unknown(std::span<const std::uint32_t> ids) const {
  const std::size_t special = ids_before_.size() + ids_after_.size();
  const std::optional<std::uint32_t> unknown = model_->unknown_id();
  if (!unknown || ids.size() <= special) return {};
  const auto own = ids.subspan(ids_before_.size(), ids.size() - special);
  return {own.size(), static_cast<std::uint64_t>(std::count(own.begin(), own.end(), *unknown))};
}

std::vector<std::string> FolderTokenizer::tokens() const {
  std::vector<std::string> tokens(vocabulary_size_);
  for (const auto& [token, id] : vocabulary_.entries()) tokens[id] = token;
  for (const auto& [token, id] : added_tokens_) tokens[id] = token;
  return tokens;
}

void FolderTokenizer::encode_text(std::string_view text, std::size_t limit, std::vector<std::uint32_t>& ids) const {
  if (raw_tokens_.empty()) return encode_between(text, true, limit, ids);
  AddedTokenScanner scanner(raw_tokens_, text);
  AddedTokenScanner::Piece piece;
  while (ids.size() < limit && scanner.next(piece)) {
    if (piece.is_token) {
      ids.push_back(piece.id);
    } else {
      encode_between(piece.text, piece.text.data() == text.data(), limit, ids);
    }
  }
}

void FolderTokenizer::encode_between(std::string_view text, bool begins_sentence, std::size_t limit,
                                     std::vector<std::uint32_t>& ids) const {
  if (normalized_tokens_.empty()) return model_->encode(text, begins_sentence, limit, ids);
  std::string buffer;
  const std::string_view normalized = model_->normalize(text, buffer);
  AddedTokenScanner scanner(normalized_tokens_, normalized);
  AddedTokenScanner::Piece piece;
  while (ids.size() < limit && scanner.next(piece)) {
    if (piece.is_token) {
      ids.push_back(piece.id);
    } else {
      model_->encode_normalized(piece.text, begins_sentence && piece.text.data() == normalized.data(), limit, ids);
    }
  }
}

}  // namespace gausscse
