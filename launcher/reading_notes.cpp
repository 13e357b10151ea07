#include "launcher/reading_notes.hpp"

#include <spdlog/spdlog.h>

#include "training/trial_data.hpp"

namespace gausscse {

void tell_bad_lines(const std::string& name, const ReadReport& report) {
  if (report.bad_lines > 0) spdlog::warn("{}: {} bad lines are left out", name, report.bad_lines);
  for (const std::string& message : report.bad_line_messages) spdlog::warn(message);
}

void tell_cut_sentences(const std::string& name, std::size_t cut_sentences, std::int64_t max_tokens) {
  if (cut_sentences > 0)
    spdlog::warn("{}: {} sentences have more than {} tokens and are cut", name, cut_sentences, max_tokens);
}

void tell_tokenizer(const Tokenizer& tokenizer, const EncoderConfig& encoder) {
  for (const std::string& warning : tokenizer.warnings()) spdlog::warn(warning);
  if (const std::string warning = check_vocabulary(tokenizer, encoder); !warning.empty()) spdlog::warn(warning);
}

void tell_unknown_tokens(const Tokenizer& tokenizer) {
  if (const std::string warning = unknown_tokens_warning(tokenizer.unknown_tokens()); !warning.empty())
    spdlog::warn(warning);
}

void tell_exceeded_limits(const Tokenizer& tokenizer, std::size_t max_tokens, const char* remedy) {
  for (const std::string& warning : exceeded_limits(tokenizer, tokenizer.longest_sentence(), max_tokens))
    spdlog::warn("{}{}", warning, remedy);
}

}  // namespace gausscse
