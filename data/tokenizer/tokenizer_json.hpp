#pragma once

#include <string>
#include <string_view>

#include "data/tokenizer/tokenizer_settings.hpp"

namespace gausscse {

/// Reads a `tokenizer.json` of the `tokenizers` library. Its truncation, padding and decoder entries do not decide the
/// ids of a sentence here and are not looked at. Throws InputError, naming `source` and the entry, for anything else
/// that is wrong or not understood.
TokenizerSettings parse_tokenizer_json(std::string_view text, const std::string& source);

}  // namespace gausscse
