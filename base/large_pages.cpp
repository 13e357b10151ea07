#include "base/large_pages.hpp"

#include <sys/mman.h>

#include <new>

namespace gausscse {

namespace {

constexpr std::size_t page_bytes = std::size_t{2} << 20;

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

}  // namespace

void* allocate_large_pages(std::size_t bytes) {
  if (bytes < page_bytes) return ::operator new(bytes);
  void* memory = ::mmap(nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  ::madvise(memory, whole_pages(bytes), MADV_HUGEPAGE);
  return memory;
}

void free_large_pages(void* memory, std::size_t bytes) noexcept {
  if (bytes < page_bytes) {
    ::operator delete(memory);
  } else {
    ::munmap(memory, whole_pages(bytes));
  }
}

}  // namespace gausscse
