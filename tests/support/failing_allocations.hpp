#pragma once

#include <cstddef>

namespace gausscse {

/// Allocations that are refused: only the k-th, or each from the k-th on.
enum class Refused { once, from_then_on };

/// While it lives, the k-th (from 1; 0: none) `new` of this thread is refused, by std::bad_alloc, or by a null pointer
/// where `new` must not throw. Linking this library replaces `new` and `delete` in the whole program, shared libraries
/// included; malloc stays as it is. One object at a time.
class FailingAllocations {
 public:
  explicit FailingAllocations(std::size_t k, Refused refused = Refused::once);
  ~FailingAllocations();
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  /// Allocations seen so far.
  std::size_t calls() const;
  /// Returns whether one was refused.
  bool fired() const;
};

/// Objects that `new` gave to this thread, less those that it deleted.
std::ptrdiff_t live_allocations();

}  // namespace gausscse
