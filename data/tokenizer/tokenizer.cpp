#include "data/tokenizer/tokenizer.hpp"

#include "data/tokenizer/tokenizer_files.hpp"

namespace gausscse {

Tokenizer::~Tokenizer() = default;

std::unique_ptr<Tokenizer> open_tokenizer(const std::filesystem::path& folder) {
  return make_tokenizer(read_tokenizer_files(folder));
}

}  // namespace gausscse
