#include "base/world.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file_lock.hpp"
#include "base/process.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// Signals are for the process's other threads, which they wake up.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

class RepeatingThread : public Repetition {
 public:
  RepeatingThread(std::chrono::milliseconds period, std::function<void()> function)
      : milliseconds_(static_cast<int>(period.count())), function_(std::move(function)) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw SystemError(concat("cannot make a pipe: ", errno_text(errno)));
    end_read_ = FileDescriptor(ends[0]);
    end_write_ = FileDescriptor(ends[1]);
    const SignalsBlocked blocked;
    try {
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error& error) {
      throw SystemError(concat("cannot start a thread: ", error.what()));
    }
  }
  ~RepeatingThread() override {
    end_write_ = FileDescriptor();
    thread_.join();
  }

 private:
  void run() {
    while (true) {
      // A pause that no clock which is set or shifted makes longer.
      pollfd end{end_read_.get(), POLLIN, 0};
      if (::poll(&end, 1, milliseconds_) > 0) return;
      function_();
    }
  }

  int milliseconds_;
  std::function<void()> function_;
  FileDescriptor end_read_, end_write_;
  std::thread thread_;
};

}  // namespace

int World::open(const fs::path& path, int flags) const {
  return ::open(path.c_str(), flags | O_CLOEXEC, 0666);
}

ssize_t World::read(int file, char* bytes, std::size_t count, off_t at) const {
  return at < 0 ? ::read(file, bytes, count) : ::pread(file, bytes, count, at);
}

ssize_t World::write(int file, std::string_view bytes, off_t at) const {
  return at < 0 ? ::write(file, bytes.data(), bytes.size()) : ::pwrite(file, bytes.data(), bytes.size(), at);
}

int World::sync(int file, bool data_only) const {
  return data_only ? ::fdatasync(file) : ::fsync(file);
}

int World::close(int file) const {
  return ::close(file);
}

int World::status(int file, struct stat& status) const {
  return ::fstat(file, &status);
}

int World::status(const fs::path& path, struct stat& status) const {
  return ::lstat(path.c_str(), &status);
}

std::vector<std::string> World::names(const fs::path& folder, std::error_code& error) const {
  std::vector<std::string> found;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error))
    found.push_back(entry->path().filename().string());
  return found;
}

int World::make_folder(const fs::path& path) const {
  return ::mkdir(path.c_str(), 0777);
}

std::error_code World::make_folders(const fs::path& path) const {
  std::error_code error;
  fs::create_directories(path, error);
  return error;
}

int World::rename(const fs::path& from, const fs::path& to) const {
  return ::rename(from.c_str(), to.c_str());
}

int World::remove(const fs::path& path) const {
  return std::remove(path.c_str());
}

void World::remove_all(const fs::path& path) const {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

bool World::is_lock_held(const fs::path& path) const {
  return gausscse::is_lock_held(path);
}

void World::sleep(std::chrono::milliseconds time) const {
  ::poll(nullptr, 0, static_cast<int>(time.count()));
}

std::unique_ptr<Repetition> World::repeat(std::chrono::milliseconds period, std::function<void()> function) const {
  return std::make_unique<RepeatingThread>(period, std::move(function));
}

std::unique_lock<std::mutex> World::lock(std::mutex& mutex) const {
  return std::unique_lock(mutex);
}

std::int64_t World::process() const {
  return ::getpid();
}

std::string World::host() const {
  return host_name();
}

std::string World::boot() const {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  file >> boot;
  char name[64] = {};
  if (::readlink("/proc/self/ns/pid", name, sizeof name - 1) > 0) boot.append(" ").append(name);
  return boot;
}

std::optional<std::uint64_t> World::start_of_process(std::int64_t number) const {
  return gausscse::start_of_process(number);
}

bool World::process_has_ended(std::int64_t number, std::uint64_t start) const {
  return gausscse::process_has_ended(number, start);
}

const World& real_world() {
  static const World world;
  return world;
}

}  // namespace gausscse
