#pragma once

#include <atomic>
#include <cstdint>

namespace gausscse {

/// Returns the counter of pieces of work that this process has done: a block read or written, a batch embedded, some
/// sentences tokenised, a classifier's pass, a collective. A process that works raises it, one that hangs does not: a
/// thread that shows signs of life looks whether it has risen. Any thread may raise it.
///
///     const std::uint64_t before = work_count();
///     ...
///     if (work_count() != before) show_sign_of_life();
inline std::atomic<std::uint64_t>& work_counter() {
  static std::atomic<std::uint64_t> counter{0};
  return counter;
}

/// Counts a piece of work that has just been done.
inline void count_work() {
  work_counter().fetch_add(1, std::memory_order_relaxed);
}

/// Returns how many pieces of work this process has done.
inline std::uint64_t work_count() {
  return work_counter().load(std::memory_order_relaxed);
}

}  // namespace gausscse
