// Preloaded into the program: memory for tensors of more than GAUSSCSE_TEST_LARGEST_BLOCK bytes is refused, as on a
// machine that has no more.

#include <dlfcn.h>

#include <cerrno>
#include <cstdlib>

extern "C" int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  static const auto next = reinterpret_cast<int (*)(void**, size_t, size_t)>(::dlsym(RTLD_NEXT, "posix_memalign"));
  const char* largest = std::getenv("GAUSSCSE_TEST_LARGEST_BLOCK");
  return largest && size > std::strtoull(largest, nullptr, 10) ? ENOMEM : next(memory, alignment, size);
}
