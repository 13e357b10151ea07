// Preloaded into a program, sends it signals before calls that it makes: GAUSSCSE_TEST_SIGNALS holds a list of
// SIGNAL:KIND:K, separated by commas, and K counts the calls of a kind from 1:
//   call               looking at the clock, and what changes files
//   clock              looking at the clock, as each step and each line of the log does
//   checkpoint_write   write to a checkpoint
//   checkpoint_rename  rename to one
//   all_reduce         MPI_Allreduce
//   mpi_start          MPI_Init_thread
//   mpi_dup            MPI_Comm_dup, by which communicators are made behind MPI's start
//   mpi_end            MPI_Finalize
//   pmix_end           PMIx_Finalize, once inside of MPI's start and once inside of its end
//   mpi_ended          what comes behind MPI's end
//   print              fflush of standard output, which prints an answer
// Under MPI only the rank in GAUSSCSE_TEST_SIGNALLED_RANK gets them where that is set. The file GAUSSCSE_TEST_SENT gets
// a byte for each signal, its number. When the program ends, rank 0 writes the calls that it saw to the file
// GAUSSCSE_TEST_CALLS, a line for each kind.

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace {

enum Kind {
  any_call,
  clock_call,
  checkpoint_write,
  checkpoint_rename,
  all_reduce,
  mpi_start,
  mpi_dup,
  mpi_end,
  pmix_end,
  mpi_ended,
  print,
  kinds
};
constexpr const char* kind_names[kinds] = {
    "call",    "clock",   "checkpoint_write", "checkpoint_rename", "all_reduce", "mpi_start",
    "mpi_dup", "mpi_end", "pmix_end",         "mpi_ended",         "print"};

std::atomic<long> calls[kinds];

/// Signals that GAUSSCSE_TEST_SIGNALS asks of this process.
class Signals {
 public:
  Signals() {
    const char* text = std::getenv("GAUSSCSE_TEST_SIGNALS");
    const char* chosen = std::getenv("GAUSSCSE_TEST_SIGNALLED_RANK");
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (!text || (chosen && (!rank || std::strcmp(chosen, rank) != 0))) return;
    for (; size_ < most; text = std::strchr(text, ',') + 1) {
      char kind[32] = "";
      if (std::sscanf(text, "%d:%31[a-z_]:%ld", &list_[size_].signal, kind, &list_[size_].k) != 3) std::abort();
      list_[size_].kind = kind_of(kind);
      ++size_;
      if (!std::strchr(text, ',')) break;
    }
  }

  void send(Kind kind, long k) const {
    for (int i = 0; i < size_; ++i)
      if (list_[i].kind == kind && list_[i].k == k) send(list_[i].signal);
  }

 private:
  struct Signal {
    int signal;
    Kind kind;
    long k;
  };

  static Kind kind_of(const char* name) {
    for (int kind = 0; kind < kinds; ++kind)
      if (std::strcmp(name, kind_names[kind]) == 0) return static_cast<Kind>(kind);
    std::abort();
  }

  static void send(int signal) {
    if (const char* path = std::getenv("GAUSSCSE_TEST_SENT")) {
      const long file = ::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT, 0600);
      const char number = static_cast<char>(signal);
      ::syscall(SYS_write, file, &number, 1);
      ::syscall(SYS_close, file);
    }
    ::syscall(SYS_kill, ::getpid(), signal);
  }

  static constexpr int most = 4;
  Signal list_[most] = {};
  int size_ = 0;
};

void count(Kind kind) {
  static const Signals signals;
  signals.send(kind, ++calls[kind]);
}

bool is_of_checkpoints(const char* path) {
  return std::strstr(path, "/checkpoints/step-") != nullptr;
}

bool is_of_checkpoints(int file) {
  char link[64], path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const long size = ::syscall(SYS_readlink, link, path, sizeof path - 1);
  path[size > 0 ? size : 0] = '\0';
  return is_of_checkpoints(path);
}

using AllReduce = int (*)(const void*, void*, int, void*, void*, void*);

void write_calls() {
  const char* path = std::getenv("GAUSSCSE_TEST_CALLS");
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (!path || (rank && std::strcmp(rank, "0") != 0)) return;
  if (FILE* file = std::fopen(path, "w")) {
    for (int kind = 0; kind < kinds; ++kind) std::fprintf(file, "%s %ld\n", kind_names[kind], calls[kind].load());
    std::fclose(file);
  }
}

/// Report of builds whose processes end in the ordinary way.
struct Report {
  ~Report() { write_calls(); }
} report;

}  // namespace

extern "C" {

// Open MPI's handles are pointers.
int MPI_Allreduce(const void* from, void* to, int elements, void* type, void* operation, void* communicator) {
  count(all_reduce);
  static const auto next = reinterpret_cast<AllReduce>(::dlsym(RTLD_NEXT, "MPI_Allreduce"));
  return next(from, to, elements, type, operation, communicator);
}

int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  count(mpi_start);
  using Start = int (*)(int*, char***, int, int*);
  static const auto next = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "MPI_Init_thread"));
  return next(argc, argv, required, provided);
}

int MPI_Comm_dup(void* communicator, void** duplicate) {
  count(mpi_dup);
  using Duplicate = int (*)(void*, void**);
  static const auto next = reinterpret_cast<Duplicate>(::dlsym(RTLD_NEXT, "MPI_Comm_dup"));
  return next(communicator, duplicate);
}

int MPI_Finalize() {
  count(mpi_end);
  static const auto next = reinterpret_cast<int (*)()>(::dlsym(RTLD_NEXT, "MPI_Finalize"));
  const int result = next();
  count(mpi_ended);
  return result;
}

// Of a library that MPI loads for itself.
int PMIx_Finalize(const void* settings, size_t count_of_settings) {
  count(pmix_end);
  using End = int (*)(const void*, size_t);
  static const auto next = reinterpret_cast<End>(::dlsym(::dlopen("libpmix.so.2", RTLD_LAZY), "PMIx_Finalize"));
  return next(settings, count_of_settings);
}

int fflush(FILE* file) {
  if (file == stdout) count(print);
  static const auto next = reinterpret_cast<int (*)(FILE*)>(::dlsym(RTLD_NEXT, "fflush"));
  return next(file);
}

int clock_gettime(clockid_t id, struct timespec* time) noexcept {
  count(any_call);
  count(clock_call);
  return static_cast<int>(::syscall(SYS_clock_gettime, id, time));
}

ssize_t write(int file, const void* bytes, size_t size) {
  count(any_call);
  if (is_of_checkpoints(file)) count(checkpoint_write);
  return ::syscall(SYS_write, file, bytes, size);
}

int fsync(int file) {
  count(any_call);
  return static_cast<int>(::syscall(SYS_fsync, file));
}

int rename(const char* from, const char* to) noexcept {
  count(any_call);
  if (is_of_checkpoints(to)) count(checkpoint_rename);
  return static_cast<int>(::syscall(SYS_rename, from, to));
}

[[noreturn]] void _Exit(int exit_code) noexcept {
  write_calls();
  for (;;) ::syscall(SYS_exit_group, exit_code);
}

int unlink(const char* path) noexcept {
  count(any_call);
  return static_cast<int>(::syscall(SYS_unlink, path));
}

}  // extern "C"
