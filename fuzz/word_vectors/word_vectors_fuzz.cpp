#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.hpp"
#include "data/word_vectors/word_vector_reader.hpp"

// A text of word vectors: words that are not empty, and finite values of one width.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gausscse;
  try {
    MemorySource source(std::string_view(reinterpret_cast<const char*>(data), size));
    WordVectorReader reader(source, "fuzz.txt");
    const std::size_t width = reader.width();
    std::string_view word;
    for (std::span<const float> vector; reader.next(word, vector);) {
      if (word.empty() || vector.size() != width) std::abort();
      for (const float value : vector)
        if (!std::isfinite(value)) std::abort();
    }
  } catch (const InputError&) {
  }
  return 0;
}
