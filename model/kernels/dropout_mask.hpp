#pragma once

#include <cstdint>

#include "base/philox.hpp"
#include "model/kernels/dropout_site.hpp"

namespace gausscse::kernels {

// Mask of the elements that dropout keeps, for kernels on every device. A row's elements come in groups of 64, which
// take the words of 16 Philox counters: element e the word (e / 16) % 4 of counter 16 * (e / 64) + e % 16. So a vector
// of neighbours takes one word of neighbouring counters, and a thread that runs one counter knows four elements, 16
// apart.

constexpr std::uint32_t dropout_group = 64, dropout_counters = 16;

/// Returns the counter of an element of a row.
constexpr std::uint32_t dropout_counter(std::uint32_t element) {
  return dropout_counters * (element / dropout_group) + element % dropout_counters;
}
/// Returns the element of a row that takes word `word` of counter `counter`.
constexpr std::uint32_t dropout_element(std::uint32_t counter, std::uint32_t word) {
  return dropout_group * (counter / dropout_counters) + dropout_counters * word + counter % dropout_counters;
}
/// Returns the four words of a counter, for token `row` of sentence `sample`.
constexpr PhiloxCounter dropout_words(const DropoutSite& site, std::uint32_t sample, std::uint32_t row,
                                      std::uint32_t counter) {
  return philox({counter, row, sample, site.site}, site.key);
}
/// Elements for each query of a sentence in attention's mask, whose rows are heads: element query * width + key. The
/// keys that are attended to, and some more.
constexpr std::int64_t attention_mask_width(std::int64_t tokens) {
  return (tokens + dropout_counters - 1) / dropout_counters * dropout_counters;
}
/// Returns the word of one element. No index into the words: on a GPU an array that is indexed by a variable lies in
/// slow local memory.
constexpr std::uint32_t dropout_word(const DropoutSite& site, std::uint32_t sample, std::uint32_t row,
                                     std::uint32_t element) {
  const PhiloxCounter words = dropout_words(site, sample, row, dropout_counter(element));
  const std::uint32_t word = element / dropout_counters % 4;
  return word < 2 ? (word == 0 ? words[0] : words[1]) : (word == 2 ? words[2] : words[3]);
}

}  // namespace gausscse::kernels
