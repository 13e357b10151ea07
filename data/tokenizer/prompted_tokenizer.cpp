#include "data/tokenizer/prompted_tokenizer.hpp"

#include <utility>

#include "base/content_hash.hpp"
#include "base/error.hpp"

namespace gausscse {

namespace {

/// Tokenizer of a folder with a prompt.
class PromptedTokenizer final : public Tokenizer {
 public:
  PromptedTokenizer(std::shared_ptr<const Tokenizer> tokenizer, std::string prompt)
      : tokenizer_(std::move(tokenizer)),
        prompt_(std::move(prompt)),
        fingerprint_(content_hash_of(concat(tokenizer_->fingerprint(), prompt_))) {}

  bool encode(std::string_view sentence, std::size_t max_tokens, std::vector<std::uint32_t>& ids) const override {
    return tokenizer_->encode(concat(prompt_, sentence), max_tokens, ids);
  }
  const std::string& prompt() const { return prompt_; }
  std::size_t vocabulary_size() const override { return tokenizer_->vocabulary_size(); }
  std::vector<std::string> tokens() const override { return tokenizer_->tokens(); }
  const std::string& fingerprint() const override { return fingerprint_; }
  const std::vector<std::filesystem::path>& files() const override { return tokenizer_->files(); }
  bool lowers_sentences() const override { return tokenizer_->lowers_sentences(); }
  std::vector<std::string> warnings() const override { return tokenizer_->warnings(); }
  std::vector<TokenLimit> limits() const override { return tokenizer_->limits(); }
  std::size_t longest_sentence() const override { return tokenizer_->longest_sentence(); }
  UnknownTokens count_unknown(std::span<const std::uint32_t> ids) const override {
    return tokenizer_->count_unknown(ids);
  }

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::string prompt_, fingerprint_;
};

}  // namespace

std::shared_ptr<const Tokenizer> with_prompt(std::shared_ptr<const Tokenizer> tokenizer, const std::string& prompt) {
  if (prompt.empty()) return tokenizer;
  return std::make_shared<PromptedTokenizer>(std::move(tokenizer), prompt);
}

std::string prompt_of(const Tokenizer& tokenizer) {
  const auto* prompted = dynamic_cast<const PromptedTokenizer*>(&tokenizer);
  return prompted ? prompted->prompt() : std::string();
}

}  // namespace gausscse
