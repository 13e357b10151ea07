#include "inference/notes.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns whether `surplus` embeddings behind the last id are padding: up to a multiple of 8 or more, or a few.
bool is_padding(std::int64_t surplus, std::int64_t vocabulary_size) {
  constexpr std::int64_t least_multiple = 8, most = 1024;
  return surplus < most && (vocabulary_size % least_multiple == 0 || surplus * least_multiple <= vocabulary_size);
}

}  // namespace

void note_bad_lines(const std::string& name, const ReadReport& report, Notes& notes) {
  if (report.bad_lines > 0) notes.warnings.push_back(concat(name, ": ", report.bad_lines, " bad lines are left out"));
  for (const std::string& message : report.bad_line_messages) notes.warnings.push_back(message);
}

void note_cut_sentences(const std::string& name, std::size_t cut_sentences, std::size_t max_tokens, Notes& notes) {
  if (cut_sentences > 0)
    notes.warnings.push_back(
        concat(name, ": ", cut_sentences, " sentences have more than ", max_tokens, " tokens and are cut"));
}

void note_tokenizer(const Tokenizer& tokenizer, const EncoderConfig& encoder, Notes& notes) {
  for (const std::string& warning : tokenizer.warnings()) notes.warnings.push_back(warning);
  if (const std::string warning = check_vocabulary(tokenizer, encoder); !warning.empty())
    notes.warnings.push_back(warning);
}

void note_unknown_tokens(const Tokenizer& tokenizer, Notes& notes) {
  if (const std::string warning = unknown_tokens_warning(tokenizer.unknown_tokens()); !warning.empty())
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
