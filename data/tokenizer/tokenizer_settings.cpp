#include "data/tokenizer/tokenizer_settings.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace gausscse {

void append_added_token(const Vocabulary& vocabulary, AddedToken token, const std::string& source,
                        std::vector<AddedToken>& tokens) {
  std::size_t expected = vocabulary.size();
  if (const auto id = vocabulary.find(token.content)) {
    expected = *id;
  } else {
    for (const AddedToken& other : tokens) expected = std::max(expected, std::size_t{other.id} + 1);
    if (expected <= Vocabulary::largest_id && vocabulary.has_id(static_cast<std::uint32_t>(expected))) {
      throw InputError(concat(
          source, ": the vocabulary lacks added token ", quoted(token.content), ", and the next free id, ", expected,
          ", belongs to another token, since the vocabulary's ids have gaps; give a vocabulary that "
          "has the token"));
    }
  }
  if (token.id != expected) {
    throw InputError(concat(source, ": added token ", quoted(token.content), " says id ", token.id,
                            ", but by the vocabulary it is ", expected, "; correct the one that is wrong"));
  }
  tokens.push_back(std::move(token));
}

}  // namespace gausscse
