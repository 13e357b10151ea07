#pragma once

#include <cstdint>
#include <functional>
#include <future>

#include "training/prepared_batch.hpp"

namespace gausscse {

/// Prepares the batch of the next step on its own thread while this one is computed.
class BatchPrefetch {
 public:
  /// Begins with the first batch. `prepare` gives the batch of a step; it is called by one thread at a time. Steps end
  /// before `end`.
  BatchPrefetch(std::function<PreparedBatch(std::int64_t step)> prepare, std::int64_t end);

  /// Returns the batch of `step`. From here on that of the step behind it is prepared, if there is one. Throws what
  /// preparing it threw.
  PreparedBatch take(std::int64_t step);

  /// Returns what PreparedBatch::bytes_on_device is for the batch of the next step, whose preparation is waited for; 0
  /// where there is none, or it failed.
  std::int64_t bytes_on_device() const;

 private:
  std::function<PreparedBatch(std::int64_t step)> prepare_;
  std::int64_t end_;
  std::int64_t next_step_ = -1;
  std::int64_t bytes_on_device_ = 0;  ///< set by the thread that prepares
  std::future<PreparedBatch> next_;   ///< waited for where it goes
};

}  // namespace gausscse
