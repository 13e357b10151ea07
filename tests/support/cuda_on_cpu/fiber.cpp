#include "tests/support/cuda_on_cpu/fiber.hpp"

#include <sys/mman.h>

#include <boost/context/detail/fcontext.hpp>
#include <new>
#include <utility>

#ifdef GAUSSCSE_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace cuda_on_cpu {

namespace context = boost::context::detail;

namespace {

constexpr std::size_t page = 4096;
#ifdef GAUSSCSE_ADDRESS_SANITIZER
constexpr std::size_t stack_size = std::size_t{256} << 10;  // its frames are several times as large
#else
constexpr std::size_t stack_size = std::size_t{64} << 10;
#endif

}  // namespace

/// Both directions of a change of stacks.
struct Fiber::Switch {
  static void enter([[maybe_unused]] void** frames, [[maybe_unused]] const void* stack,
                    [[maybe_unused]] std::size_t size) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(frames, stack, size);
#endif
  }
  static void entered([[maybe_unused]] void* frames, [[maybe_unused]] const void** stack,
                      [[maybe_unused]] std::size_t* size) {
#ifdef GAUSSCSE_ADDRESS_SANITIZER
    __sanitizer_finish_switch_fiber(frames, stack, size);
#endif
  }
};

Fiber::Fiber() {
  void* memory = mmap(nullptr, page + stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
  mprotect(memory_, page, PROT_NONE);
}

Fiber::~Fiber() {
  munmap(memory_, page + stack_size);
}

void Fiber::begin(std::function<void()> call) {
  call_ = std::move(call);
  ended_ = false;
#ifdef GAUSSCSE_ADDRESS_SANITIZER
  // The frames of a call that never returned.
  __asan_unpoison_memory_region(memory_ + page, stack_size);
#endif
  inside_ = context::make_fcontext(memory_ + page + stack_size, stack_size, [](context::transfer_t from) {
    auto* self = static_cast<Fiber*>(from.data);
    self->outside_ = from.fctx;
    self->run();
  });
}

bool Fiber::resume() {
  void* frames = nullptr;
  Switch::enter(&frames, memory_ + page, stack_size);
  inside_ = context::jump_fcontext(inside_, this).fctx;
  Switch::entered(frames, nullptr, nullptr);
  return ended_;
}

void Fiber::suspend() {
  Switch::enter(&inner_frames_, outer_stack_, outer_size_);
  outside_ = context::jump_fcontext(outside_, nullptr).fctx;
  Switch::entered(inner_frames_, &outer_stack_, &outer_size_);
}

void Fiber::run() {
  Switch::entered(nullptr, &outer_stack_, &outer_size_);
  call_();
  ended_ = true;
  Switch::enter(nullptr, outer_stack_, outer_size_);
  context::jump_fcontext(outside_, nullptr);
}

}  // namespace cuda_on_cpu
