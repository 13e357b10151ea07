#include "data/tokenizer/added_token_json.hpp"

namespace gausscse {

AddedToken parse_added_token(const JsonObject& entry) {
  AddedToken token;
  token.content = entry.string("content");
  token.single_word = entry.boolean_or("single_word", false);
  token.lstrip = entry.boolean_or("lstrip", false);
  token.rstrip = entry.boolean_or("rstrip", false);
  // Special tokens are looked for as they stand unless the file says otherwise.
  token.normalized = entry.boolean_or("normalized", !entry.boolean_or("special", false));
  return token;
}

}  // namespace gausscse
