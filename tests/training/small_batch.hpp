#pragma once

#include <cstdint>
#include <vector>

#include "tests/model/encoder/small_models.hpp"
#include "tests/training/example_reader.hpp"

namespace gausscse {

inline constexpr std::int64_t batch_size = 11;

/// Returns the examples of step `step`: 3 * batch_size random sentences, premises first.
inline RandomSentences sentences_of(std::int64_t step) {
  return random_sentences(3 * batch_size, 100 + static_cast<std::uint64_t>(step));
}

inline ExampleReader reader_of(const RandomSentences& all, std::int64_t roles = 3,
                               PoolingDivisor divisor = PoolingDivisor::tokens) {
  return example_reader(all, batch_size, roles, divisor);
}

/// Ways to share the batch out: even, and with an empty and a large share. One rank has one way.
inline std::vector<std::vector<std::int64_t>> ways_to_share(int ranks) {
  if (ranks == 1) return {{batch_size}};
  std::vector<std::int64_t> even(static_cast<std::size_t>(ranks)), uneven(static_cast<std::size_t>(ranks), 0);
  for (std::int64_t i = 0; i < batch_size; ++i) ++even[static_cast<std::size_t>(i % ranks)];
  uneven.back() = batch_size - 3;
  uneven.front() = 3;
  return {even, uneven};
}

}  // namespace gausscse
