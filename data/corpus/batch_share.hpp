#pragma once

#include <cstddef>

namespace gausscse {

/// The part of a batch that a rank computes: positions begin .. end - 1 of it. May be empty.
struct Share {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  bool operator==(const Share&) const = default;
};

/// Shares of `ranks` (>= 1) ranks, in the order of ranks, that cover a batch of `batch_size`; sizes differ by at most
/// 1, the larger ones first.
Share share_of(std::size_t rank, std::size_t ranks, std::size_t batch_size);

}  // namespace gausscse
