#pragma once

#include "data/tokenizer/added_tokens.hpp"
#include "data/tokenizer/json_object.hpp"

namespace gausscse {

/// Returns an added token as Hugging Face files write it: `content`, and the flags, each optional. Its id is left 0.
/// Throws InputError for a missing content or a value of a wrong type.
AddedToken parse_added_token(const JsonObject& entry);

}  // namespace gausscse
