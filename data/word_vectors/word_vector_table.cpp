#include "data/word_vectors/word_vector_table.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Values of a block: 64 MiB.
constexpr std::size_t values_of_block = std::size_t{1} << 24;

}  // namespace

WordVectorTable::WordVectorTable(std::size_t width)
    : width_(width), rows_of_block_(std::max(values_of_block / width, std::size_t{1})) {}

void WordVectorTable::set(std::string_view word, std::span<const float> vector) {
  GAUSSCSE_CHECK(vector.size() == width_, vector.size(), " values of ", width_);
  const std::size_t before = words_.size();
  const std::size_t index = words_.intern(word);
  if (index < before) {
    ++repeated_;
    std::copy(vector.begin(), vector.end(),
              blocks_[index / rows_of_block_].begin() + static_cast<std::ptrdiff_t>(index % rows_of_block_ * width_));
    return;
  }
  if (index % rows_of_block_ == 0) blocks_.emplace_back();
  blocks_.back().insert(blocks_.back().end(), vector.begin(), vector.end());
}

std::span<const float> WordVectorTable::row(std::size_t word) const {
  return std::span<const float>(blocks_[word / rows_of_block_]).subspan(word % rows_of_block_ * width_, width_);
}

}  // namespace gausscse
