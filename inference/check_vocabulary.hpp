#pragma once

#include <string>

#include "data/tokenizer/tokenizer.hpp"
#include "model/weights/encoder_config.hpp"

namespace gausscse {

/// Throws InputError unless the tokenizer has as many ids as the encoder has word embeddings, or ids from 0 without a
/// gap and a few embeddings more, which are padding. Returns a warning of those, or an empty text.
std::string check_vocabulary(const Tokenizer& tokenizer, const EncoderConfig& encoder);

}  // namespace gausscse
