#include "evaluation/metrics/metrics_length.hpp"

#include <algorithm>

namespace gausscse {

std::size_t character_length(std::string_view sentence) {
  // Continuation bytes are 10xxxxxx.
  return static_cast<std::size_t>(std::count_if(sentence.begin(), sentence.end(),
                                                [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace gausscse
