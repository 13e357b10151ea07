// benchmark_tokenizer DIR IN.txt ROUNDS: tokenises the lines of IN.txt on one thread, once a round, after one round
// that does not count. Prints a line a round, seconds and tokens; compare_speed.py sets them next to a peer's.

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "data/tokenizer/tokenizer.hpp"

namespace {

constexpr std::size_t max_tokens = 128;

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
    for (int round = 0; round <= rounds; ++round) {
      // All ids are kept, as a token store keeps them, so that memory is part of what is measured.
      std::vector<std::uint32_t> ids;
      const auto begin = std::chrono::steady_clock::now();
      for (const std::string_view line : lines) tokenizer->encode(line, max_tokens, ids);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
      if (round > 0) std::cout << seconds.count() << ' ' << ids.size() << '\n';
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
