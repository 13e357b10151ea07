#pragma once

#include <deque>
#include <utility>

#include "dist/collective_call.hpp"

namespace gausscse::detail {

/// Collectives that this rank has queued on its device, and how long the oldest has been the one to be done next.
/// Called under a lock of the owner.
class QueuedCalls {
 public:
  void add(const CollectiveCall& call, QueuedCollective collective) { calls_.push_back({call, std::move(collective)}); }

  bool empty() const { return calls_.empty(); }
  const CollectiveCall& oldest() const { return calls_.front().call; }

  /// Returns the oldest. It stays where it is until `drop_oldest`, also while others are added, so that it can be asked
  /// without the lock: a device that is stuck may not answer.
  const QueuedCollective& oldest_collective() const { return calls_.front().collective; }
  void drop_oldest() {
    calls_.pop_front();
    waited_ = 0;
  }

  /// Adds seconds that the oldest call has waited.
  void add_wait(double seconds) { waited_ = empty() ? 0 : waited_ + seconds; }
  double waited() const { return waited_; }
  void wait_anew() { waited_ = 0; }

 private:
  struct Queued {
    CollectiveCall call;
    QueuedCollective collective;
  };
  std::deque<Queued> calls_;  ///< a deque, so that none moves while others are added
  double waited_ = 0;
};

}  // namespace gausscse::detail
