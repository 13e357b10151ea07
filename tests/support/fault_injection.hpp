#pragma once

#include <cstddef>
#include <functional>

namespace gausscse {

/// Behaviour of the chosen system call in place of its work.
enum class Fault {
  no_space,     ///< fails with ENOSPC
  io_error,     ///< fails with EIO
  interrupted,  ///< fails with EINTR, once
  short_write,  ///< a write takes one byte; other calls do their work
  wrong_bytes,  ///< a write stores its last byte with one bit flipped, and reports success; other calls do their work
  kill,         ///< the process is gone before the call, by SIGKILL
  none,         ///< the call does its work
};

/// Calls that are hit: only the k-th, or each from the k-th on.
enum class Repeat { once, from_then_on };

/// Ability of the file system to swap two names in one step, and to give a file a second one; where it lacks it, such
/// calls fail with EINVAL and EPERM.
enum class Swaps { supported, unsupported };

/// While it lives, the k-th (from 1) call of this thread to open, write, fsync, rename, link, close, mkdir and their
/// relatives is hit by `fault`. A fault that concerns one kind of call hits the first call of that kind from the k-th
/// on. Linking this library replaces these functions in the whole program, shared libraries included, by ones that
/// count and pass on. A close that fails has closed, as on Linux. One object at a time.
class FaultInjection {
 public:
  FaultInjection(std::size_t k, Fault fault, Repeat repeat = Repeat::once, Swaps swaps = Swaps::supported);
  /// Calls `meanwhile` before each call, for changes that others may make at any time. Its own calls are not counted.
  explicit FaultInjection(std::function<void()> meanwhile);
  ~FaultInjection();
  FaultInjection(const FaultInjection&) = delete;
  FaultInjection& operator=(const FaultInjection&) = delete;

  /// Stops hitting and counting, as the destructor does.
  void stop();
  /// Calls seen so far.
  std::size_t calls() const;
  /// Returns whether a call was hit.
  bool fired() const;
};

/// Does `work` in its own process, which is killed before its k-th (from 1) call of those above. Whether it was: false
/// where it came to its end before. Throws std::runtime_error where it ended in another way.
bool killed_before_call(std::size_t k, const std::function<void()>& work);

}  // namespace gausscse
