#pragma once

#include <cstddef>

namespace gausscse {

/// Returns `bytes` bytes of memory, in pages of 2 MiB where there are that many and the kernel has such pages. Then the
/// first write costs a page fault for each 2 MiB instead of one for each 4 KiB. Throws std::bad_alloc.
void* allocate_large_pages(std::size_t bytes);

/// Frees memory of `allocate_large_pages`, of the same `bytes`. The kernel has it back at once.
void free_large_pages(void* memory, std::size_t bytes) noexcept;

/// Allocator of containers by these functions.
template <typename T>
struct LargePages {
  using value_type = T;

  LargePages() = default;
  template <typename Other>
  explicit LargePages(const LargePages<Other>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_large_pages(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept { free_large_pages(memory, count * sizeof(T)); }

  bool operator==(const LargePages&) const = default;
};

}  // namespace gausscse
