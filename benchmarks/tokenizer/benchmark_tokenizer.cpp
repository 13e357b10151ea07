// benchmark_tokenizer DIR IN.txt ROUNDS: tokenises the lines of IN.txt on one thread, once a round. Prints a line a
// round: processor time in seconds, and tokens. The first round meets every word for the first time. benchmarks/run.sh
// runs it.

#include <algorithm>
#include <ctime>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "data/tokenizer/tokenizer.hpp"

namespace {

/// More than a line has, so that none is cut: not every peer cuts.
constexpr std::size_t max_tokens = 1 << 20;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: benchmark_tokenizer DIR IN.txt ROUNDS\n";
    return 2;
  }
  try {
    const auto tokenizer = gausscse::open_tokenizer(argv[1]);
    const gausscse::MappedFile file(argv[2]);
    const std::vector<std::string_view> lines = split_lines(file.bytes());
    const int rounds = std::stoi(argv[3]);
    for (int round = 0; round < rounds; ++round) {
      // All ids are kept, as a token store keeps them, so that their memory is measured, too.
      std::vector<std::uint32_t> ids;
      const std::clock_t begin = std::clock();
      for (const std::string_view line : lines) tokenizer->encode(line, max_tokens, ids);
      std::cout << static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC << ' ' << ids.size() << '\n';
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
