#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/tokenizer/added_tokens.hpp"
#include "data/tokenizer/subword_model.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/tokenizer_settings.hpp"
#include "data/tokenizer/vocabulary.hpp"

namespace gausscse {

/// The one tokenizer there is: special tokens around a sentence, added tokens within it, a subword model between them.
class FolderTokenizer final : public Tokenizer {
 public:
  /// Throws InputError where the settings contradict each other.
  FolderTokenizer(TokenizerSettings settings, std::string fingerprint, std::vector<std::filesystem::path> files);

  bool encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const override;
  std::size_t vocabulary_size() const override { return vocabulary_size_; }
  std::vector<std::string> tokens() const override;
  const std::string& fingerprint() const override { return fingerprint_; }
  const std::vector<std::filesystem::path>& files() const override { return files_; }
  bool lowers_sentences() const override { return lowers_sentences_; }
  std::vector<std::string> warnings() const override { return warnings_; }
  std::vector<TokenLimit> limits() const override { return limits_; }
  std::size_t longest_sentence() const override { return longest_.load(std::memory_order_relaxed); }
  UnknownTokens count_unknown(std::span<const std::uint32_t> ids) const override;

 private:
  void note_length(std::size_t tokens) const;
  void encode_text(std::string_view text, std::size_t limit, std::vector<std::uint32_t>& ids) const;
  void encode_between(std::string_view text, bool begins_sentence, std::size_t limit,
                      std::vector<std::uint32_t>& ids) const;

  std::unique_ptr<SubwordModel> model_;
  AddedTokenSet raw_tokens_;         // looked for in the text as written
  AddedTokenSet normalized_tokens_;  // looked for in the normalized text between those
  std::vector<std::uint32_t> ids_before_;
  std::vector<std::uint32_t> ids_after_;
  std::size_t vocabulary_size_;
  Vocabulary vocabulary_;
  std::vector<std::pair<std::string, std::uint32_t>> added_tokens_;  // as written, with those of the vocabulary
  std::string fingerprint_;
  std::vector<std::filesystem::path> files_;
  bool lowers_sentences_;
  bool cuts_begin_;
  std::vector<TokenLimit> limits_;
  std::vector<std::string> warnings_;
  mutable std::atomic<std::size_t> longest_{0};
};

}  // namespace gausscse
