#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "data/corpus/read_report.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

// What the log tells of sentences that were read, in all commands alike. `name` is the file or the set.

/// Warns of lines left out, the first of them one by one.
void tell_bad_lines(const std::string& name, const ReadReport& report);

/// Warns of sentences that were cut to `max_tokens`.
void tell_cut_sentences(const std::string& name, std::size_t cut_sentences, std::int64_t max_tokens);

/// Warns of what a model folder's tokenizer files say and is not applied, and of embeddings without a token. Throws
/// InputError where the tokenizer is not the encoder's.
void tell_tokenizer(const Tokenizer& tokenizer, const EncoderConfig& encoder);

/// Warns where many tokens of the sentences so far are unknown to the tokenizer.
void tell_unknown_tokens(const Tokenizer& tokenizer);

/// Remedy of commands with the option.
inline constexpr const char* cut_by_option = "; --max-tokens cuts them there as well";

/// Warns of limits in a model folder that sentences so far were longer than, where they were cut to `max_tokens`.
void tell_exceeded_limits(const Tokenizer& tokenizer, std::size_t max_tokens, const char* remedy);

}  // namespace gausscse
