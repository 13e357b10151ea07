// Times the reading of word vectors and the finding of a word:
//
//   benchmark_word_vectors FOLDER [WORDS] [WIDTH]
//
// makes a text of 2,000,000 words of 300 values (4.5 GB) in FOLDER, which must be there, reads it, looks up a million
// words, and removes the text.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/philox.hpp"
#include "data/word_vectors/word_vectors.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Writes made-up words, with values that repeat after a thousand.
void write_text(const fs::path& path, std::size_t words, std::size_t width) {
  PhiloxStream stream(1, 1);
  std::vector<std::string> rows(1000);
  for (std::string& row : rows) {
    for (std::size_t d = 0; d < width; ++d) {
      char value[16];
      std::snprintf(value, sizeof value, " %.4f", static_cast<double>(stream.below(20'000)) / 1e4 - 1);
      row += value;
    }
    row += '\n';
  }
  std::ofstream text(path, std::ios::binary);
  for (std::size_t i = 0; i < words; ++i) text << "word" << i * 7919 % 15'485'863 << rows[i % rows.size()];
  if (!text.flush()) throw WriteError(concat(path.string(), ": cannot be written"));
}

int run(const fs::path& folder, std::size_t words, std::size_t width) {
  const fs::path made = folder / "word-vectors-benchmark";
  fs::create_directory(made);
  const fs::path text = made / "vectors.txt";
  write_text(text, words, width);
  std::printf("%zu words of %zu values, %.2f GB\n", words, width, static_cast<double>(fs::file_size(text)) / 1e9);
  std::optional<WordVectors> vectors;
  std::printf("reading         %8.3f s\n", seconds_of([&] { vectors.emplace(text); }));
  std::size_t found = 0;
  const double looking = seconds_of([&] {
    for (std::size_t i = 0; i < 1'000'000; ++i)
      found += vectors->find("word" + std::to_string(i * 3 % (2 * words) * 7919 % 15'485'863)).has_value();
  });
  std::printf("a word          %8.3f us (%zu of a million were there)\n", looking, found);
  fs::remove_all(made);
  return 0;
}

}  // namespace
}  // namespace gausscse

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "usage: benchmark_word_vectors FOLDER [WORDS] [WIDTH]\n");
    return 2;
  }
  try {
    const auto number = [&](int i, std::size_t otherwise) { return argc > i ? std::stoull(argv[i]) : otherwise; };
    return gausscse::run(argv[1], number(2, 2'000'000), number(3, 300));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
