#include "data/corpus/batch_share.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace gausscse {

Share share_of(std::size_t rank, std::size_t ranks, std::size_t batch_size) {
  GAUSSCSE_CHECK(rank < ranks, "rank ", rank, " of ", ranks);
  const std::size_t each = batch_size / ranks;
  const std::size_t with_one_more = batch_size % ranks;
  const std::size_t begin = rank * each + std::min(rank, with_one_more);
  return {begin, begin + each + (rank < with_one_more ? 1 : 0)};
}

Share share_of(std::size_t rank, std::span<const std::uint32_t> weights, std::size_t batch_size) {
  GAUSSCSE_CHECK(rank < weights.size(), "rank ", rank, " of ", weights.size());
  // Below these bounds no product of a batch size and a sum of weights leaves 64 bits.
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t total = 0;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (i == rank) before = total;
    total += weights[i];
    if (total > most)
      throw InputError("the weights of the ranks' shares add up to over 4,294,967,295: make them smaller");
  }
  if (total == 0) throw InputError("the weights of the ranks' shares are all 0, so nobody has work: give one at least");
  if (batch_size > most) throw InputError(concat("the batch size ", batch_size, " is over 4,294,967,295"));
  return {static_cast<std::size_t>(batch_size * before / total),
          static_cast<std::size_t>(batch_size * (before + weights[rank]) / total)};
}

}  // namespace gausscse
