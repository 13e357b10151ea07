#include "tests/support/failing_allocations.hpp"

#include <cstdlib>
#include <new>
#include <stdexcept>

namespace gausscse {

namespace {

struct Plan {
  bool armed = false;
  std::size_t k = 0;
  Refused refused = Refused::once;
  std::size_t calls = 0;
  bool fired = false;
};

thread_local Plan plan;
thread_local std::ptrdiff_t live = 0;

bool refuses() {
  if (!plan.armed) return false;
  ++plan.calls;
  if (plan.k == 0 || plan.calls < plan.k || (plan.fired && plan.refused == Refused::once)) return false;
  plan.fired = true;
  return true;
}

void* allocate(std::size_t size) noexcept {
  if (refuses()) return nullptr;
  void* memory = std::malloc(size ? size : 1);
  if (memory) ++live;
  return memory;
}

void* allocate_or_throw(std::size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}

void release(void* memory) noexcept {
  if (memory) --live;
  std::free(memory);
}

}  // namespace

FailingAllocations::FailingAllocations(std::size_t k, Refused refused) {
  if (plan.armed) throw std::logic_error("FailingAllocations are active already");
  plan = Plan{true, k, refused, 0, false};
}

FailingAllocations::~FailingAllocations() {
  plan.armed = false;
}

std::size_t FailingAllocations::calls() const {
  return plan.calls;
}

bool FailingAllocations::fired() const {
  return plan.fired;
}

std::ptrdiff_t live_allocations() {
  return live;
}

}  // namespace gausscse

using gausscse::allocate;
using gausscse::allocate_or_throw;
using gausscse::release;

// All forms but those for types of more than 16 bytes' alignment, whose `delete` is another.
void* operator new(std::size_t size) {
  return allocate_or_throw(size);
}
void* operator new[](std::size_t size) {
  return allocate_or_throw(size);
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  release(memory);
}
void operator delete[](void* memory) noexcept {
  release(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  release(memory);
}
void operator delete(void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  release(memory);
}
