#include "data/corpus/batch_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/philox.hpp"

namespace gausscse {

namespace {

/// Stream number that keeps the draws of shuffles apart from any others under the same seed.
constexpr std::uint64_t shuffle_stream = std::uint64_t{0x73687566} << 32;

}  // namespace

BatchPlan::BatchPlan(std::size_t examples, std::size_t batch_size, ExampleOrder order, std::uint64_t seed,
                     bool drop_last)
    : examples_(examples), batch_size_(batch_size), order_(order), seed_(seed) {
  if (examples == 0) throw InputError("there is no example to train on: check the training files");
  if (batch_size == 0) throw InputError("the batch size is 0: give at least 1");
  if (examples > std::numeric_limits<std::uint32_t>::max()) {
    throw InputError(concat(examples, " examples are over the 4,294,967,295 that can be numbered: train on a part"));
  }
  if (drop_last && batch_size > examples) {
    throw InputError(concat("the batch size ", batch_size, " is larger than the ", examples,
                            " examples of the training data, so no whole batch can be made: give a smaller batch "
                            "size, or keep the last incomplete batch"));
  }
  const bool rest = examples % batch_size != 0 && !drop_last;
  steps_per_epoch_ = examples / batch_size + (rest ? 1 : 0);
}

void BatchPlan::shuffle(std::uint32_t epoch) {
  if (shuffled_epoch_ == epoch) return;
  shuffled_.resize(examples_);
  std::iota(shuffled_.begin(), shuffled_.end(), 0u);
  PhiloxStream draws(seed_, shuffle_stream | epoch);
  for (std::size_t left = examples_; left > 1; --left) {
    std::swap(shuffled_[left - 1], shuffled_[draws.below(static_cast<std::uint32_t>(left))]);
  }
  shuffled_epoch_ = epoch;
}

std::vector<std::uint32_t> BatchPlan::batch(std::uint32_t epoch, std::size_t step) {
  GAUSSCSE_CHECK(step < steps_per_epoch_, "step ", step, " of ", steps_per_epoch_);
  const std::size_t begin = step * batch_size_;
  std::vector<std::uint32_t> ids(std::min(batch_size_, examples_ - begin));
  if (order_ == ExampleOrder::file) {
    std::iota(ids.begin(), ids.end(), static_cast<std::uint32_t>(begin));
  } else {
    shuffle(epoch);
    std::copy_n(shuffled_.begin() + static_cast<std::ptrdiff_t>(begin), ids.size(), ids.begin());
  }
  return ids;
}

Share share_of(std::size_t rank, std::size_t ranks, std::size_t batch_size) {
  GAUSSCSE_CHECK(rank < ranks, "rank ", rank, " of ", ranks);
  const std::size_t each = batch_size / ranks;
  const std::size_t with_one_more = batch_size % ranks;
  const std::size_t begin = rank * each + std::min(rank, with_one_more);
  return {begin, begin + each + (rank < with_one_more ? 1 : 0)};
}

}  // namespace gausscse
