#include "data/corpus/batch_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/philox.hpp"

namespace gausscse {

namespace {

/// Tells the draws of shuffles from any others under the same seed.
constexpr std::uint64_t shuffle_stream = std::uint64_t{0x73687566} << 32;

}  // namespace

BatchPlan::BatchPlan(std::size_t triples, std::size_t batch_size, std::uint64_t seed, bool drop_last)
    : triples_(triples), batch_size_(batch_size), seed_(seed) {
  if (triples == 0) throw InputError("there is no triple to train on: check the training files");
  if (batch_size == 0) throw InputError("the batch size is 0: give at least 1");
  if (triples > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(concat(triples, " triples are over the 4,294,967,295 that can be numbered: train on a part"));
  }
  if (drop_last && batch_size > triples) {
    throw InputError(concat("the batch size ", batch_size, " is larger than the ", triples,
                            " triples of the training data, so no whole batch can be made: give a smaller batch "
                            "size, or keep the last incomplete batch"));
  }
  const bool rest = triples % batch_size != 0 && !drop_last;
  steps_per_epoch_ = triples / batch_size + (rest ? 1 : 0);
}

void BatchPlan::shuffle(std::uint32_t epoch) {
  if (shuffled_epoch_ == epoch) return;
  order_.resize(triples_);
  std::iota(order_.begin(), order_.end(), 0u);
  PhiloxStream draws(seed_, shuffle_stream | epoch);
  for (std::size_t left = triples_; left > 1; --left) {
    std::swap(order_[left - 1], order_[draws.below(static_cast<std::uint32_t>(left))]);
  }
  shuffled_epoch_ = epoch;
}

std::vector<std::uint32_t> BatchPlan::batch(std::uint32_t epoch, std::size_t step) {
  GAUSSCSE_CHECK(step < steps_per_epoch_, "step ", step, " of ", steps_per_epoch_);
  shuffle(epoch);
  const std::size_t begin = step * batch_size_;
  const std::size_t size = std::min(batch_size_, triples_ - begin);
  const std::span<const std::uint32_t> ids = std::span<const std::uint32_t>(order_).subspan(begin, size);
  return {ids.begin(), ids.end()};
}

}  // namespace gausscse
