#include "evaluation/geometry/token_sample.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/philox.hpp"

namespace gausscse {

namespace {

/// Stream number that keeps these draws apart from any others under the same seed.
constexpr std::uint64_t sample_stream = std::uint64_t{0x746F6B73} << 32;

}  // namespace

TokenSample draw_token_sample(const TokenStore& store, std::size_t count, std::uint64_t seed, std::uint64_t draw) {
  const std::size_t sentences = store.sentences();
  count = std::min(count, sentences);
  std::vector<std::uint32_t> order(sentences);
  std::iota(order.begin(), order.end(), 0u);
  PhiloxStream stream(seed, sample_stream + draw);
  TokenSample sample;
  sample.row_of_sentence.assign(sentences, -1);
  for (std::size_t row = 0; row < count; ++row) {
    std::swap(order[row], order[row + stream.below(static_cast<std::uint32_t>(sentences - row))]);
    sample.row_of_sentence[order[row]] = static_cast<std::int64_t>(row);
    sample.token_of_row.push_back(stream.below(static_cast<std::uint32_t>(store.length(order[row]))));
  }
  return sample;
}

}  // namespace gausscse
