// tokenize_lines DIR IN.txt --max-tokens N: the ids of each line of IN.txt, a line each; for compare_tokenizers.py.
// Lines end with \n alone, so that every other character can be compared.

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>

#include "base/file.hpp"
#include "data/tokenizer/tokenizer.hpp"

namespace {

void tokenize_lines(const gausscse::Tokenizer& tokenizer, std::string_view text, std::size_t max_tokens) {
  std::vector<std::uint32_t> ids;
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ids.clear();
    tokenizer.encode(text.substr(0, end), max_tokens, ids);
    text.remove_prefix(std::min(end + 1, text.size()));
    out.clear();
    for (const std::uint32_t id : ids) {
      if (!out.empty()) out += ' ';
      out += std::to_string(id);
    }
    std::cout << out << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5 || std::string_view(argv[3]) != "--max-tokens") {
    std::cerr << "usage: tokenize_lines DIR IN.txt --max-tokens N\n";
    return 2;
  }
  try {
    std::ios::sync_with_stdio(false);
    const auto tokenizer = gausscse::open_tokenizer(argv[1]);
    const gausscse::MappedFile file(argv[2]);
    tokenize_lines(*tokenizer, file.bytes(), std::stoul(argv[4]));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
