#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "data/corpus/read_report.hpp"
#include "data/corpus/token_counts.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// Remarks for people on a model's files. Nothing here prints them: the program logs them, another user may do as it
/// likes.
struct Notes {
  std::vector<std::string> info, warnings;
};

// Each adds its remarks to `notes`, in all commands alike. `name` is the file or the set.

/// Adds notes of lines that were left out, the first of them one by one.
void note_bad_lines(const std::string& name, const ReadReport& report, Notes& notes);

/// Adds a note of the shares of unknown tokens and of sentences that were cut to `max_tokens`; warnings where sentences
/// were cut and where a share is large (`is_large_share`). `positions` are the tokens that the encoder takes; 0: not
/// known. Without limits of tokens (no_limit_of_tokens) nothing is noted of cuts.
void note_token_counts(const std::string& name, const TokenCounts& counts, std::size_t max_tokens,
                       std::size_t positions, Notes& notes);

/// Adds notes of settings in a model folder's tokenizer files that are not applied, and of embeddings without a token.
/// Throws InputError where the tokenizer is not the encoder's.
void note_tokenizer(const Tokenizer& tokenizer, const EncoderConfig& encoder, Notes& notes);

/// Positions of a model that takes sentences of any length.
inline constexpr std::size_t no_limit_of_tokens = std::numeric_limits<std::uint32_t>::max();

/// Remedy of commands with the option.
inline constexpr const char* cut_by_option = "; --max-tokens cuts them there as well";

/// Limits in a model folder that sentences so far were longer than, where they were cut to `max_tokens`.
void note_exceeded_limits(const Tokenizer& tokenizer, std::size_t max_tokens, const char* remedy, Notes& notes);

/// Throws InputError unless the tokenizer has as many ids as the encoder has word embeddings, or ids from 0 without a
/// gap and a few embeddings more, which are padding. Returns a warning of those, or an empty text.
std::string check_vocabulary(const Tokenizer& tokenizer, const EncoderConfig& encoder);

}  // namespace gausscse
