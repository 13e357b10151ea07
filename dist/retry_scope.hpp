#pragma once

#include <functional>

namespace gausscse {

/// Caller of the parts of a computation that call no collective and may be refused memory. Other ranks wait for a rank
/// in their next collective meanwhile, so that it does all it can to come there. docs/developers/memory_retry.md has
/// the whole protocol and a timeline of two ranks.
///
///     at::Tensor all;
///     parts.retryable([&] { all = at::empty({rows, width}); });  // before the collective, where it can be done again
///     communicator.all_gather(own, counts, all);
class RetryScope {
 public:
  virtual ~RetryScope() = default;
  /// Calls `part`, and calls it again where memory is refused to it and other memory can be given back.
  virtual void retryable(const std::function<void()>& part) = 0;
  /// Calls `part`, of which a beginning cannot be undone. Where memory is refused to it, all ranks will do the whole
  /// computation again. Until then this rank calls its collectives with any values, and no other such part is called.
  virtual void irreversible(const std::function<void()>& part) = 0;
};

/// Returns a caller whose parts end with the error where memory is refused.
inline RetryScope& without_retry() {
  class Caller final : public RetryScope {
   public:
    void retryable(const std::function<void()>& part) override { part(); }
    void irreversible(const std::function<void()>& part) override { part(); }
  };
  static Caller caller;
  return caller;
}

}  // namespace gausscse
