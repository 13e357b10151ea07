// Preloaded into the program: memory for tensors of more than GAUSSCSE_TEST_LARGEST_BLOCK bytes is refused, as on a
// machine that has no more.

#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>

namespace {

bool is_refused(size_t size) {
  const char* largest = std::getenv("GAUSSCSE_TEST_LARGEST_BLOCK");
  return largest && size > std::strtoull(largest, nullptr, 10);
}

}  // namespace

/// LibTorch's tensors.
extern "C" int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  static const auto next = reinterpret_cast<int (*)(void**, size_t, size_t)>(::dlsym(RTLD_NEXT, "posix_memalign"));
  return is_refused(size) ? ENOMEM : next(memory, alignment, size);
}

/// Tensors of model/tensor.
extern "C" void* aligned_alloc(size_t alignment, size_t size) noexcept {
  static const auto next = reinterpret_cast<void* (*)(size_t, size_t)>(::dlsym(RTLD_NEXT, "aligned_alloc"));
  return is_refused(size) ? nullptr : next(alignment, size);
}
