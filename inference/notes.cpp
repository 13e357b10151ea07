#include "inference/notes.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace gausscse {

namespace {

/// Returns whether `surplus` embeddings behind the last id are padding: up to a multiple of 8 or more, or a few.
bool is_padding(std::int64_t surplus, std::int64_t vocabulary_size) {
  constexpr std::int64_t least_multiple = 8, most = 1024;
  return surplus < most && (vocabulary_size % least_multiple == 0 || surplus * least_multiple <= vocabulary_size);
}

/// Returns "12.5 %".
std::string share_text(std::uint64_t part, std::uint64_t whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
  return text;
}

}  // namespace

void note_bad_lines(const std::string& name, const ReadReport& report, Notes& notes) {
  for (std::string& message : report.bad_line_messages(name)) notes.warnings.push_back(std::move(message));
}

void note_token_counts(const std::string& name, const TokenCounts& counts, std::size_t max_tokens,
                       std::size_t positions, Notes& notes) {
  constexpr std::size_t shown_bytes = 100;
  const bool has_limit = max_tokens < no_limit_of_tokens;
  const std::string unknown = concat(share_text(counts.unknown, counts.tokens), " of ", counts.tokens, " tokens");
  const std::string cut = share_text(counts.cut, counts.sentences);
  std::string shares;
  if (counts.tokens > 0) shares = concat(unknown, " are unknown");
  if (counts.sentences > 0 && has_limit)
    shares += concat(shares.empty() ? "" : ", ", cut, " of ", counts.sentences, " sentences are cut at ", max_tokens,
                     " tokens");
  if (!shares.empty()) notes.info.push_back(concat(name, ": ", shares));

  if (counts.cut > 0) {
    std::string hint;
    if (is_large_share(counts.cut, counts.sentences))
      hint = positions > max_tokens
                 ? concat(": their ends are lost; raise max_tokens, as the encoder takes ", positions, " tokens")
                 : ": their ends are lost; the encoder takes no more tokens";
    notes.warnings.push_back(concat(name, ": ", counted(static_cast<std::int64_t>(counts.cut), "sentence"),
                                    counts.cut == 1 ? " has" : " have", " more than ", max_tokens, " tokens and ",
                                    counts.cut == 1 ? "is" : "are", " cut (", cut, ")", positions == 0 ? "" : hint));
  }
  if (is_large_share(counts.unknown, counts.tokens))
    notes.warnings.push_back(concat(name, ": ", unknown, " are unknown to the tokenizer, as in ",
                                    quoted(counts.example, shown_bytes),
                                    ": their text is lost; use a model whose vocabulary has it"));
}

void note_tokenizer(const Tokenizer& tokenizer, const EncoderConfig& encoder, Notes& notes) {
  for (const std::string& warning : tokenizer.warnings()) notes.warnings.push_back(warning);
  if (const std::string warning = check_vocabulary(tokenizer, encoder); !warning.empty())
    notes.warnings.push_back(warning);
}

void note_exceeded_limits(const Tokenizer& tokenizer, std::size_t max_tokens, const char* remedy, Notes& notes) {
  for (const std::string& warning : exceeded_limits(tokenizer, tokenizer.longest_sentence(), max_tokens))
    notes.warnings.push_back(warning + remedy);
}

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
