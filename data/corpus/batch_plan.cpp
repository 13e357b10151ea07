#include "data/corpus/batch_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/philox.hpp"

namespace gausscse {

namespace {

/// Stream number that keeps the draws of shuffles apart from any others under the same seed.
constexpr std::uint64_t shuffle_stream = std::uint64_t{0x73687566} << 32;

}  // namespace

BatchPlan::BatchPlan(std::size_t examples, std::size_t batch_size, ExampleOrder order, std::uint64_t seed,
                     bool drop_last, std::vector<std::uint32_t> texts)
    : examples_(examples),
      batch_size_(batch_size),
      order_(order),
      seed_(seed),
      drop_last_(drop_last),
      texts_(std::move(texts)) {
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
  GAUSSCSE_CHECK(texts_.size() % examples == 0, "texts of whole examples");
}

void BatchPlan::plan(std::uint32_t epoch) {
  if (planned_epoch_ == epoch || (planned_epoch_ && order_ == ExampleOrder::file)) return;
  order_of_epoch_.resize(examples_);
  std::iota(order_of_epoch_.begin(), order_of_epoch_.end(), 0u);
  if (order_ == ExampleOrder::shuffled) {
    PhiloxStream draws(seed_, shuffle_stream | epoch);
    for (std::size_t left = examples_; left > 1; --left) {
      std::swap(order_of_epoch_[left - 1], order_of_epoch_[draws.below(static_cast<std::uint32_t>(left))]);
    }
  }
  ends_.clear();
  if (texts_.empty()) {
    for (std::size_t end = batch_size_; end <= examples_; end += batch_size_) ends_.push_back(end);
    if (examples_ % batch_size_ != 0 && !drop_last_) ends_.push_back(examples_);
  } else {
    part_by_texts();
  }
  planned_epoch_ = epoch;
}

void BatchPlan::part_by_texts() {
  const std::size_t roles = texts_.size() / examples_;
  const auto texts_of = [&](std::uint32_t example) { return std::span(texts_).subspan(example * roles, roles); };
  /// Number of the last batch, from 1, that has each text.
  std::vector<std::uint32_t> batch_of_text(std::size_t{*std::max_element(texts_.begin(), texts_.end())} + 1, 0);
  std::vector<std::uint32_t> batches, left, still_left;
  std::size_t next = 0;
  for (std::uint32_t number = 1; next < examples_ || !left.empty(); ++number) {
    const std::size_t begin = batches.size();
    const auto take = [&](std::uint32_t example) {
      const auto texts = texts_of(example);
      const bool is_full = batches.size() - begin == batch_size_;
      if (is_full ||
          std::any_of(texts.begin(), texts.end(), [&](auto text) { return batch_of_text[text] == number; })) {
        still_left.push_back(example);
        return;
      }
      for (const std::uint32_t text : texts) batch_of_text[text] = number;
      batches.push_back(example);
    };
    still_left.clear();
    for (const std::uint32_t example : left) take(example);
    while (next < examples_ && batches.size() - begin < batch_size_) take(order_of_epoch_[next++]);
    left.swap(still_left);
    if (batches.size() - begin < batch_size_ && drop_last_)
      batches.resize(begin);
    else
      ends_.push_back(batches.size());
  }
  order_of_epoch_ = std::move(batches);
}

std::size_t BatchPlan::steps_of_epoch(std::uint32_t epoch) {
  if (texts_.empty()) return examples_ / batch_size_ + (examples_ % batch_size_ != 0 && !drop_last_ ? 1 : 0);
  plan(epoch);
  if (ends_.empty())
    throw InputError(
        concat("data.batches is no_duplicates, but epoch ", epoch, " has no ", batch_size_,
               " examples without a text in common: give a smaller training.batch_size, or data.last_batch: "
               "keep"));
  return ends_.size();
}

std::int64_t BatchPlan::steps_of_epochs(std::int64_t epochs) {
  while (static_cast<std::int64_t>(first_steps_.size()) <= epochs)
    first_steps_.push_back(first_steps_.back() + static_cast<std::int64_t>(steps_of_epoch(
                                                     static_cast<std::uint32_t>(first_steps_.size() - 1))));
  return first_steps_[static_cast<std::size_t>(epochs)];
}

std::vector<std::uint32_t> BatchPlan::batch(std::uint32_t epoch, std::size_t step) {
  const std::size_t steps = steps_of_epoch(epoch);
  plan(epoch);
  GAUSSCSE_CHECK(step < steps, "step ", step, " of ", steps);
  const auto at = [&](std::size_t place) { return order_of_epoch_.begin() + static_cast<std::ptrdiff_t>(place); };
  return {at(step == 0 ? 0 : ends_[step - 1]), at(ends_[step])};
}

std::vector<std::uint32_t> BatchPlan::batch_of_training(std::int64_t step) {
  while (first_steps_.back() <= step) steps_of_epochs(static_cast<std::int64_t>(first_steps_.size()));
  const auto next = std::upper_bound(first_steps_.begin(), first_steps_.end(), step);
  const auto epoch = static_cast<std::uint32_t>(next - first_steps_.begin() - 1);
  return batch(epoch, static_cast<std::size_t>(step - first_steps_[epoch]));
}

Share share_of(std::size_t rank, std::size_t ranks, std::size_t batch_size) {
  GAUSSCSE_CHECK(rank < ranks, "rank ", rank, " of ", ranks);
  const std::size_t each = batch_size / ranks;
  const std::size_t with_one_more = batch_size % ranks;
  const std::size_t begin = rank * each + std::min(rank, with_one_more);
  return {begin, begin + each + (rank < with_one_more ? 1 : 0)};
}

}  // namespace gausscse
