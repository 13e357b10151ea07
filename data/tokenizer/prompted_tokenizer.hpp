#pragma once

#include <memory>
#include <string>

#include "data/tokenizer/tokenizer.hpp"

namespace gausscse {

/// Returns a tokenizer that puts `prompt` before every sentence, as sentence-transformers does: "query: ". For an empty
/// prompt it is `tokenizer` itself.
std::shared_ptr<const Tokenizer> with_prompt(std::shared_ptr<const Tokenizer> tokenizer, const std::string& prompt);

/// Returns the prompt that a tokenizer puts before sentences; empty where there is none.
std::string prompt_of(const Tokenizer& tokenizer);

}  // namespace gausscse
