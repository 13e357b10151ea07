// Preloaded into a program, sends it a signal at its k-th call to the system: k is in GAUSSCSE_TEST_KILL_AT, the
// signal in GAUSSCSE_TEST_SIGNAL (SIGKILL by default), under MPI only on the rank in GAUSSCSE_TEST_KILL_RANK; or at its
// k-th MPI_Allreduce, with k in GAUSSCSE_TEST_KILL_AT_ALL_REDUCE. Writes
// the number of calls seen to the file GAUSSCSE_TEST_CALLS when the program ends. What counts is looking at the clock,
// which each step does, and what changes files.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> calls{0}, all_reduces{0};

/// The number in an environment variable, for this process; 0 for never.
long number_for_this_rank(const char* name) {
  const char* text = std::getenv(name);
  const char* chosen = std::getenv("GAUSSCSE_TEST_KILL_RANK");
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!text || (chosen && (!rank || std::strcmp(chosen, rank) != 0))) return 0;
  return std::atol(text);
}

int chosen_signal() {
  const char* text = std::getenv("GAUSSCSE_TEST_SIGNAL");
  return text ? std::atoi(text) : SIGKILL;
}

void count() {
  static const long k = number_for_this_rank("GAUSSCSE_TEST_KILL_AT");
  if (++calls == k) ::syscall(SYS_kill, ::getpid(), chosen_signal());
}

using AllReduce = int (*)(const void*, void*, int, void*, void*, void*);

struct Report {
  ~Report() {
    const char* path = std::getenv("GAUSSCSE_TEST_CALLS");
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (!path || (rank && std::strcmp(rank, "0") != 0)) return;
    if (FILE* file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  }
} report;

}  // namespace

extern "C" {

// Open MPI's handles are pointers.
int MPI_Allreduce(const void* from, void* to, int elements, void* type, void* operation, void* communicator) {
  static const long k = number_for_this_rank("GAUSSCSE_TEST_KILL_AT_ALL_REDUCE");
  if (++all_reduces == k) ::syscall(SYS_kill, ::getpid(), chosen_signal());
  static const auto next = reinterpret_cast<AllReduce>(::dlsym(RTLD_NEXT, "MPI_Allreduce"));
  return next(from, to, elements, type, operation, communicator);
}

int clock_gettime(clockid_t clock, struct timespec* time) noexcept {
  count();
  return static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
}

ssize_t write(int file, const void* bytes, size_t size) {
  count();
  return ::syscall(SYS_write, file, bytes, size);
}

int fsync(int file) {
  count();
  return static_cast<int>(::syscall(SYS_fsync, file));
}

int rename(const char* from, const char* to) noexcept {
  count();
  return static_cast<int>(::syscall(SYS_rename, from, to));
}

int unlink(const char* path) noexcept {
  count();
  return static_cast<int>(::syscall(SYS_unlink, path));
}

}  // extern "C"
