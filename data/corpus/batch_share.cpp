#include "data/corpus/batch_share.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace gausscse {

Share share_of(std::size_t rank, std::size_t ranks, std::size_t batch_size) {
  GAUSSCSE_CHECK(rank < ranks, "rank ", rank, " of ", ranks);
  const std::size_t each = batch_size / ranks;
  const std::size_t with_one_more = batch_size % ranks;
  const std::size_t begin = rank * each + std::min(rank, with_one_more);
  return {begin, begin + each + (rank < with_one_more ? 1 : 0)};
}

}  // namespace gausscse
