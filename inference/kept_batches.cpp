#include "inference/kept_batches.hpp"

namespace gausscse {

PackedBatch KeptBatches::get(std::size_t number, at::Device device, const std::function<PackedBatch()>& pack) {
  if (device.is_cpu()) return pack();
  if (const auto kept = batches_.find(number); kept != batches_.end()) return kept->second;
  PackedBatch batch = pack();
  // All of its tensors are parts of one.
  const auto bytes = static_cast<std::int64_t>(batch.ids.storage().nbytes());
  if (bytes_ + bytes <= most_bytes_) {
    bytes_ += bytes;
    batches_.emplace(number, batch);
  }
  return batch;
}

void KeptBatches::stop() {
  batches_.clear();
  most_bytes_ = bytes_ = 0;
}

}  // namespace gausscse
