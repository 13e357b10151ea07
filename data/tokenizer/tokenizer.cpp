#include "data/tokenizer/tokenizer.hpp"

#include <cstdio>

#include "base/error.hpp"
#include "base/folder_mark.hpp"
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

std::string unknown_tokens_warning(const UnknownTokens& counts) {
  constexpr std::uint64_t least_part = 20;
  constexpr std::size_t shown_bytes = 100;
  if (counts.unknown == 0 || counts.unknown * least_part < counts.tokens) return {};
  char share[32];
  std::snprintf(share, sizeof share, "%.1f",
                100.0 * static_cast<double>(counts.unknown) / static_cast<double>(counts.tokens));
  return concat(share, " % of ", counts.tokens, " tokens are unknown to the tokenizer",
                counts.example.empty() ? "" : concat(", as in ", quoted(counts.example, shown_bytes)),
                ": their text is lost; use a model whose vocabulary has it");
}

std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& folder) {
  auto tokenizer = make_tokenizer(read_tokenizer_files(folder));
  check_saved_files(folder, SavedFiles::but_weights);
  return tokenizer;
}

}  // namespace gausscse
