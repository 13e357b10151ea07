#include "inference/notes.hpp"

#include "base/error.hpp"
#include "inference/check_vocabulary.hpp"

namespace gausscse {

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

}  // namespace gausscse
