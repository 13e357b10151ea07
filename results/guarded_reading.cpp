#include "results/guarded_reading.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "base/file_calls.hpp"

namespace gausscse {

namespace {

/// First byte that the copy sends: the kind of the rest. Then the number of bytes that follow, and these.
enum Answer : char { answer_text = 'T', answer_error = 'E' };

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Signals end the copy as they end any process, it ends with its parent, and prints nothing.
void prepare_copy(std::chrono::seconds limit) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int number = 1; number < NSIG; ++number) std::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  const auto seconds = static_cast<rlim_t>(limit.count());
  const rlimit time{seconds, seconds + 1};
  ::setrlimit(RLIMIT_CPU, &time);
  const FileDescriptor nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (nowhere.get() >= 0) ::dup2(nowhere.get(), STDERR_FILENO);
}

[[noreturn]] void answer(int descriptor, const std::function<std::string()>& work) {
  Answer kind = answer_text;
  std::string text;
  try {
    text = work();
  } catch (const std::exception& error) {
    kind = answer_error;
    text = error.what();
  }
  const std::uint64_t size = text.size();
  std::string head(1, kind);
  head.append(reinterpret_cast<const char*>(&size), sizeof size);
  write_all(descriptor, head);
  write_all(descriptor, text);
  ::_exit(0);
}

std::string read_to_end(const FileDescriptor& pipe) {
  std::string bytes;
  std::array<char, 65536> piece;
  while (true) {
    const ssize_t got = ::read(pipe.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(piece.data(), static_cast<std::size_t>(got));
  }
}

std::string end_of(int status, std::chrono::seconds limit) {
  if (!WIFSIGNALED(status)) return "the process that read it ended without an answer";
  const int number = WTERMSIG(status);
  if (number == SIGXCPU) return concat("its reading did not end within ", limit.count(), " s of processor time");
  return concat("its reading ended with signal ", number, ", ", ::strsignal(number));
}

}  // namespace

std::string computed_apart(std::chrono::seconds limit, const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw SystemError(concat("no pipe: ", errno_text(errno)));
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  const pid_t copy = ::fork();
  if (copy < 0) throw SystemError(concat("cannot start a process: fork: ", errno_text(errno)));
  if (copy == 0) {
    prepare_copy(limit);
    answer(writing.get(), work);
  }
  writing = FileDescriptor();
  const std::string bytes = read_to_end(reading);
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  std::uint64_t size = 0;
  constexpr std::size_t head_bytes = 1 + sizeof size;
  if (bytes.size() >= head_bytes) std::memcpy(&size, bytes.data() + 1, sizeof size);
  if (bytes.size() < head_bytes || bytes.size() - head_bytes != size) throw EndedApart(end_of(status, limit));
  std::string text = bytes.substr(head_bytes);
  if (bytes.front() == answer_error) throw InputError(text);
  return text;
}

std::chrono::seconds time_to_read(std::size_t bytes) {
  constexpr std::size_t bytes_a_second = std::size_t{10} << 20;
  return std::chrono::seconds(2 + bytes / bytes_a_second);
}

}  // namespace gausscse
