#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace gausscse {

/// Ends a fiber. It is no std::exception, so that no handler of the product takes it for an error.
struct Killed {};

/// Functions that run in turns on one thread, in simulated time. At each `pause` another one may go on: the one whose
/// pause ends first.
///
///     Fibers fibers;
///     fibers.start([&] { fibers.pause(2); text += "b"; });
///     fibers.start([&] { fibers.pause(1); text += "a"; });
///     while (fibers.step()) {}  // "ab"
class Fibers {
 public:
  Fibers();
  ~Fibers();
  Fibers(const Fibers&) = delete;
  Fibers& operator=(const Fibers&) = delete;

  /// Makes a fiber that begins at the next `step`, and returns its number.
  std::size_t start(std::function<void()> body);
  /// Lets the others run for so many seconds; throws Killed in a fiber that is to end.
  void pause(double seconds);
  /// Ends a fiber, which may not be the one that runs: it throws Killed out of its last pause.
  void kill(std::size_t number);
  /// Ends all fibers, as the end of the object does.
  void end_all();
  /// Returns simulated seconds since the begin.
  double now() const { return now_; }
  /// Goes on with the fiber whose pause ends first. Returns false where there is none.
  bool step();

 private:
  struct Fiber;
  static void enter();
  void resume(Fiber& fiber);
  void leave(Fiber& fiber);

  double now_ = 0;
  Fiber* running_ = nullptr;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> waiting_;
};

}  // namespace gausscse
