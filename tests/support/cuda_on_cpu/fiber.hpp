#pragma once

#include <cstddef>
#include <functional>

namespace cuda_on_cpu {

/// A call that can be left in its middle and gone on with later, on the same OS thread. It has its own stack, with a
/// page below it that may not be touched. Every change of stacks is announced to AddressSanitizer.
class Fiber {
 public:
  /// Throws std::bad_alloc without memory for the stack.
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Sets the call that the next `resume` begins with; it must not throw. A call that was left in its middle is
  /// forgotten.
  void begin(std::function<void()> call);
  /// Runs the call until it suspends itself or ends. True if it has ended.
  bool resume();
  /// Called by the running call: returns to `resume`, and goes on at the next one.
  void suspend();

 private:
  struct Switch;

  void run();

  std::byte* memory_;
  void* inside_ = nullptr;   ///< place in the call at which it goes on
  void* outside_ = nullptr;  ///< place at which `resume` goes on
  std::function<void()> call_;
  bool ended_ = true;
  // Records for AddressSanitizer: the stack outside, and its record of frames inside.
  const void* outer_stack_ = nullptr;
  std::size_t outer_size_ = 0;
  void* inner_frames_ = nullptr;
};

}  // namespace cuda_on_cpu
