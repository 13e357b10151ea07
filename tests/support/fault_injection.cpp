#include "tests/support/fault_injection.hpp"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gausscse {

namespace {

struct Plan {
  bool armed = false;
  std::size_t k = 0;
  Fault fault = Fault::io_error;
  Repeat repeat = Repeat::once;
  Swaps swaps = Swaps::supported;
  std::size_t calls = 0;
  bool fired = false;
  std::function<void()> meanwhile = [] {};
};

thread_local Plan plan;

enum class Call { write, swap, link, other };
enum class Verdict { pass, fail, shorten, spoil };

/// Counts a call and returns its fate; sets errno for a failing one.
Verdict judge(Call call) {
  if (!plan.armed) return Verdict::pass;
  ++plan.calls;
  if (call == Call::swap && plan.swaps == Swaps::unsupported) {
    errno = EINVAL;
    return Verdict::fail;
  }
  if (call == Call::link && plan.swaps == Swaps::unsupported) {
    errno = EPERM;
    return Verdict::fail;
  }
  if (plan.calls < plan.k || (plan.fired && plan.repeat == Repeat::once)) return Verdict::pass;
  switch (plan.fault) {
    case Fault::no_space:
      errno = ENOSPC;
      break;
    case Fault::io_error:
      errno = EIO;
      break;
    case Fault::interrupted:
      errno = EINTR;
      break;
    case Fault::kill:
      ::syscall(SYS_kill, ::getpid(), SIGKILL);
      break;
    case Fault::none:
      plan.armed = false;
      plan.meanwhile();
      plan.armed = true;
      return Verdict::pass;
    case Fault::short_write:
    case Fault::wrong_bytes:
      if (call != Call::write) return Verdict::pass;
      plan.fired = true;
      return plan.fault == Fault::short_write ? Verdict::shorten : Verdict::spoil;
  }
  plan.fired = true;
  return Verdict::fail;
}

/// Returns the bytes that a spoiled write stores.
std::vector<char> spoiled(const void* data, size_t size) {
  const auto* begin = static_cast<const char*>(data);
  std::vector<char> bytes(begin, begin + size);
  if (!bytes.empty()) bytes.back() = static_cast<char>(bytes.back() ^ 1);
  return bytes;
}

template <typename... Arguments>
long pass_on(Call call, long number, Arguments... arguments) {
  return judge(call) == Verdict::fail ? -1 : ::syscall(number, arguments...);
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  return static_cast<int>(pass_on(Call::other, SYS_openat, folder, path, flags, mode));
}

}  // namespace

FaultInjection::FaultInjection(std::size_t k, Fault fault, Repeat repeat, Swaps swaps) {
  if (plan.armed) throw std::logic_error("a FaultInjection is active already");
  plan = Plan{true, k, fault, repeat, swaps, 0, false, [] {}};
}

FaultInjection::FaultInjection(std::function<void()> meanwhile) : FaultInjection(1, Fault::none) {
  plan.meanwhile = std::move(meanwhile);
}

FaultInjection::~FaultInjection() {
  stop();
}

void FaultInjection::stop() {
  plan.armed = false;
}

std::size_t FaultInjection::calls() const {
  return plan.calls;
}

bool FaultInjection::fired() const {
  return plan.fired;
}

bool killed_before_call(std::size_t k, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    const FaultInjection injection(k, Fault::kill);
    try {
      work();
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return true;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("the work failed");
  return false;
}

}  // namespace gausscse

// The program's own definitions come before those of every shared library.
extern "C" {

using gausscse::Call;
using gausscse::judge;
using gausscse::open_at;
using gausscse::pass_on;
using gausscse::spoiled;
using gausscse::Verdict;

#define GAUSSCSE_OPEN_MODE(flags, mode)    \
  mode_t mode = 0;                         \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { \
    va_list arguments;                     \
    va_start(arguments, flags);            \
    mode = va_arg(arguments, mode_t);      \
    va_end(arguments);                     \
  }

int open(const char* path, int flags, ...) {
  GAUSSCSE_OPEN_MODE(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  GAUSSCSE_OPEN_MODE(flags, mode)
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  GAUSSCSE_OPEN_MODE(flags, mode)
  return open_at(folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  GAUSSCSE_OPEN_MODE(flags, mode)
  return open_at(folder, path, flags, mode);
}

ssize_t write(int descriptor, const void* data, size_t size) {
  const Verdict verdict = judge(Call::write);
  if (verdict == Verdict::fail) return -1;
  if (verdict == Verdict::spoil) return ::syscall(SYS_write, descriptor, spoiled(data, size).data(), size);
  return ::syscall(SYS_write, descriptor, data, verdict == Verdict::shorten && size > 1 ? size_t{1} : size);
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  const Verdict verdict = judge(Call::write);
  if (verdict == Verdict::fail) return -1;
  if (verdict == Verdict::spoil) return ::syscall(SYS_pwrite64, descriptor, spoiled(data, size).data(), size, offset);
  return ::syscall(SYS_pwrite64, descriptor, data, verdict == Verdict::shorten && size > 1 ? size_t{1} : size, offset);
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off64_t offset) {
  return pwrite(descriptor, data, size, offset);
}

ssize_t writev(int descriptor, const struct iovec* parts, int count) {
  const Verdict verdict = judge(Call::write);
  if (verdict == Verdict::fail) return -1;
  if (verdict == Verdict::shorten && count > 0)
    return ::syscall(SYS_write, descriptor, parts[0].iov_base, parts[0].iov_len);
  if (verdict == Verdict::spoil && count > 0)
    return ::syscall(SYS_write, descriptor, spoiled(parts[0].iov_base, parts[0].iov_len).data(), parts[0].iov_len);
  return ::syscall(SYS_writev, descriptor, parts, count);
}

int fsync(int descriptor) {
  return static_cast<int>(pass_on(Call::other, SYS_fsync, descriptor));
}

int fdatasync(int descriptor) {
  return static_cast<int>(pass_on(Call::other, SYS_fdatasync, descriptor));
}

int close(int descriptor) {
  const Verdict verdict = judge(Call::other);
  const int code = errno;
  const long result = ::syscall(SYS_close, descriptor);
  if (verdict != Verdict::fail) return static_cast<int>(result);
  errno = code;
  return -1;
}

int ftruncate(int descriptor, off_t size) noexcept {
  return static_cast<int>(pass_on(Call::other, SYS_ftruncate, descriptor, size));
}

int ftruncate64(int descriptor, off64_t size) noexcept {
  return ftruncate(descriptor, size);
}

int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(pass_on(Call::other, SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  const Call call = (flags & RENAME_EXCHANGE) ? Call::swap : Call::other;
  return static_cast<int>(pass_on(call, SYS_renameat2, from_folder, from, to_folder, to, flags));
}

int link(const char* from, const char* to) noexcept {
  return static_cast<int>(pass_on(Call::link, SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int mkdir(const char* path, mode_t mode) noexcept {
  return static_cast<int>(pass_on(Call::other, SYS_mkdirat, AT_FDCWD, path, mode));
}

int mkdirat(int folder, const char* path, mode_t mode) noexcept {
  return static_cast<int>(pass_on(Call::other, SYS_mkdirat, folder, path, mode));
}

}  // extern "C"
