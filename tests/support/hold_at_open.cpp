// Preloaded into the ranks of a program. Rank GAUSSCSE_TEST_HELD_RANK is held when it opens a file whose path contains
// GAUSSCSE_TEST_HELD_FILE for the GAUSSCSE_TEST_HELD_OPEN-th time. It goes on when a rank reports that it waits on for
// one that reads or writes files. It waits at the named pipe GAUSSCSE_TEST_GATE.

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace {

long open_directly(const char* path, int flags, mode_t mode = 0) {
  return ::syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

void hold_at(const char* path) {
  static std::atomic<int> opened = 0;
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  const char* held_rank = std::getenv("GAUSSCSE_TEST_HELD_RANK");
  const char* file = std::getenv("GAUSSCSE_TEST_HELD_FILE");
  if (!rank || !held_rank || !file || std::strcmp(rank, held_rank) != 0 || !std::strstr(path, file)) return;
  if (++opened != std::atoi(std::getenv("GAUSSCSE_TEST_HELD_OPEN"))) return;
  // Opening a pipe waits until its other end is open.
  ::syscall(SYS_close, open_directly(std::getenv("GAUSSCSE_TEST_GATE"), O_RDONLY));
}

/// Lets go who is held by now; nobody else.
void release() {
  if (const char* gate = std::getenv("GAUSSCSE_TEST_GATE"))
    ::syscall(SYS_close, open_directly(gate, O_WRONLY | O_NONBLOCK));
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  hold_at(path);
  return static_cast<int>(open_directly(path, flags, mode));
}

int fputs(const char* text, FILE* stream) {
  static const auto next = reinterpret_cast<int (*)(const char*, FILE*)>(::dlsym(RTLD_NEXT, "fputs"));
  const int result = next(text, stream);
  if (std::strstr(text, " reads or writes files that others wait for: waiting on")) release();
  return result;
}

}  // extern "C"
