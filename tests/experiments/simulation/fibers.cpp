#include "tests/experiments/simulation/fibers.hpp"

#include <cxxabi.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define GAUSSCSE_FIBERS_ARE_CHECKED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GAUSSCSE_FIBERS_ARE_CHECKED
#endif
#endif
#if defined(GAUSSCSE_FIBERS_ARE_CHECKED)
#include <sanitizer/common_interface_defs.h>
#endif

namespace gausscse {

namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 20;

/// Stacks, each with a page below it that may not be written; used again and again.
class Stacks {
 public:
  char* take() {
    if (!free_.empty()) {
      char* stack = free_.back();
      free_.pop_back();
      return stack;
    }
    void* memory =
        ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || ::mprotect(memory, 4096, PROT_NONE) != 0) throw std::runtime_error("no stack");
    return static_cast<char*>(memory);
  }
  void give_back(char* stack) { free_.push_back(stack); }

 private:
  std::vector<char*> free_;
};

Stacks& stacks() {
  static Stacks all;
  return all;
}

Fibers* entered = nullptr;

}  // namespace

struct Fibers::Fiber {
  /// Exchanges the runtime's list of exceptions that are handled now for this fiber's.
  void exchange_exceptions() {
    char now[sizeof exceptions];
    void* place = abi::__cxa_get_globals();
    std::memcpy(now, place, sizeof now);
    std::memcpy(place, exceptions, sizeof now);
    std::memcpy(exceptions, now, sizeof now);
  }

  ucontext_t context{}, resumer{};
  char* stack = nullptr;
  std::function<void()> body;
  double wakes = 0;
  bool killed = false, ended = false;
  char exceptions[sizeof(void*) + sizeof(unsigned)] = {};
  Fiber* before = nullptr;
  const void* resumer_stack = nullptr;
  std::size_t resumer_bytes = 0;
};

Fibers::Fibers() = default;

Fibers::~Fibers() {
  end_all();
}

std::size_t Fibers::start(std::function<void()> body) {
  Fiber& fiber = *fibers_.emplace_back(std::make_unique<Fiber>());
  fiber.body = std::move(body);
  fiber.wakes = now_;
  fiber.stack = stacks().take();
  ::getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack;
  fiber.context.uc_stack.ss_size = stack_bytes;
  ::makecontext(&fiber.context, &Fibers::enter, 0);
  waiting_.push_back(&fiber);
  return fibers_.size() - 1;
}

void Fibers::enter() {
  Fibers& all = *entered;
  Fiber& fiber = *all.running_;
#if defined(GAUSSCSE_FIBERS_ARE_CHECKED)
  __sanitizer_finish_switch_fiber(nullptr, &fiber.resumer_stack, &fiber.resumer_bytes);
#endif
  try {
    if (!fiber.killed) fiber.body();
  } catch (const Killed&) {
  }
  fiber.body = nullptr;
  fiber.ended = true;
  all.leave(fiber);
}

/// Runs the fiber until its next pause.
void Fibers::resume(Fiber& fiber) {
  fiber.before = std::exchange(running_, &fiber);
  entered = this;
  fiber.exchange_exceptions();
#if defined(GAUSSCSE_FIBERS_ARE_CHECKED)
  void* own = nullptr;
  __sanitizer_start_switch_fiber(&own, fiber.stack, stack_bytes);
#endif
  ::swapcontext(&fiber.resumer, &fiber.context);
#if defined(GAUSSCSE_FIBERS_ARE_CHECKED)
  __sanitizer_finish_switch_fiber(own, nullptr, nullptr);
#endif
  fiber.exchange_exceptions();
  running_ = fiber.before;
  if (!fiber.ended) return;
  std::erase(waiting_, &fiber);
  stacks().give_back(std::exchange(fiber.stack, nullptr));
}

void Fibers::leave(Fiber& fiber) {
#if defined(GAUSSCSE_FIBERS_ARE_CHECKED)
  void* own = nullptr;
  __sanitizer_start_switch_fiber(fiber.ended ? nullptr : &own, fiber.resumer_stack, fiber.resumer_bytes);
#endif
  ::swapcontext(&fiber.context, &fiber.resumer);
#if defined(GAUSSCSE_FIBERS_ARE_CHECKED)
  __sanitizer_finish_switch_fiber(own, &fiber.resumer_stack, &fiber.resumer_bytes);
#endif
}

void Fibers::pause(double seconds) {
  Fiber& fiber = *running_;
  fiber.wakes = now_ + seconds;
  const auto is_first = [&](const Fiber* other) { return other == &fiber || fiber.wakes < other->wakes; };
  if (!fiber.before && std::all_of(waiting_.begin(), waiting_.end(), is_first))
    now_ = fiber.wakes;
  else if (!fiber.killed)
    leave(fiber);
  if (fiber.killed) throw Killed();
}

void Fibers::kill(std::size_t number) {
  Fiber& fiber = *fibers_[number];
  if (fiber.ended) return;
  fiber.killed = true;
  resume(fiber);
}

bool Fibers::step() {
  if (waiting_.empty()) return false;
  const auto sooner = [](const Fiber* one, const Fiber* other) { return one->wakes < other->wakes; };
  Fiber& next = **std::min_element(waiting_.begin(), waiting_.end(), sooner);
  now_ = std::max(now_, next.wakes);
  resume(next);
  return true;
}

void Fibers::end_all() {
  for (std::size_t i = 0; i < fibers_.size(); ++i) kill(i);
}

}  // namespace gausscse
