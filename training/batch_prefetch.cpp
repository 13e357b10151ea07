#include "training/batch_prefetch.hpp"

#include <utility>

namespace gausscse {

BatchPrefetch::BatchPrefetch(std::function<PreparedBatch(std::int64_t)> prepare, std::int64_t end)
    : prepare_(std::move(prepare)), end_(end) {}

PreparedBatch BatchPrefetch::take(std::int64_t step) {
  if (next_.valid() && step != next_step_) next_.wait();
  PreparedBatch batch = next_.valid() && step == next_step_ ? next_.get() : prepare_(step);
  next_ = {};
  next_step_ = step + 1;
  bytes_on_device_ = 0;
  if (next_step_ >= end_) return batch;
  next_ = std::async(std::launch::async, [this, next = next_step_] {
    PreparedBatch prepared = prepare_(next);
    bytes_on_device_ = prepared.bytes_on_device();
    return prepared;
  });
  return batch;
}

std::int64_t BatchPrefetch::bytes_on_device() const {
  if (next_.valid()) next_.wait();
  return bytes_on_device_;
}

}  // namespace gausscse
