#include "data/tokenizer/tokenizer.hpp"

#include "base/error.hpp"
#include "base/saved_files.hpp"
#include "data/tokenizer/tokenizer_files.hpp"

namespace gausscse {

Tokenizer::~Tokenizer() = default;

std::vector<std::string> exceeded_limits(const Tokenizer& tokenizer, std::size_t longest, std::size_t max_tokens) {
  std::vector<std::string> warnings;
  for (const TokenLimit& limit : tokenizer.limits())
    if (limit.tokens < longest)
      warnings.push_back(concat(limit.setting, " is ", limit.tokens, ", where ", limit.program,
                                " cuts sentences; this program cuts them at ", max_tokens,
                                " tokens, so longer ones have other vectors"));
  return warnings;
}

std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& folder) {
  auto tokenizer = make_tokenizer(read_tokenizer_files(folder));
  check_saved_files(folder, SavedFiles::but_weights);
  return tokenizer;
}

}  // namespace gausscse
