#pragma once

#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/file.hpp"
#include "base/file_calls.hpp"

namespace gausscse {

/// Function that is called again and again, until the object goes; then no call is under way any more.
class Repetition {
 public:
  Repetition() = default;
  virtual ~Repetition() = default;
  Repetition(const Repetition&) = delete;
  Repetition& operator=(const Repetition&) = delete;
};

/// The system around a process: shared folders, time, and the other processes of its host. This class makes the real
/// calls, whose results its functions return; they set errno. Tests replace it by a simulated system
/// (docs/developers/simulation.md):
///
///     Claims claims(results, lease, now, process, world);
///     write_file_atomically(world, path, text);
class World {
 public:
  World() = default;
  virtual ~World() = default;
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Opens a file with O_CLOEXEC; a new one has the mode 0666. A simulated system gives numbers that the real one has
  /// not given, for which ::close does nothing.
  virtual int open(const std::filesystem::path& path, int flags) const;
  /// Reads and writes from the current place on or, where `at` is not negative, from that byte.
  virtual ssize_t read(int file, char* bytes, std::size_t count, off_t at) const;
  virtual ssize_t write(int file, std::string_view bytes, off_t at) const;
  /// Waits until the content is on the disk and visible to other hosts; `data_only`: fdatasync.
  virtual int sync(int file, bool data_only) const;
  virtual int close(int file) const;
  /// Reads the status of an open file.
  virtual int status(int file, struct stat& status) const;
  /// Reads the status of a path; a symbolic link is not followed.
  virtual int status(const std::filesystem::path& path, struct stat& status) const;
  /// Returns all names in a folder, until an error.
  virtual std::vector<std::string> names(const std::filesystem::path& folder, std::error_code& error) const;
  virtual int make_folder(const std::filesystem::path& path) const;
  /// Makes a folder and those above it, as far as they are not there.
  virtual std::error_code make_folders(const std::filesystem::path& path) const;
  virtual int rename(const std::filesystem::path& from, const std::filesystem::path& to) const;
  /// Removes a file or an empty folder.
  virtual int remove(const std::filesystem::path& path) const;
  /// Removes a folder with all that is in it, as far as the system lets.
  virtual void remove_all(const std::filesystem::path& path) const;
  /// Returns as the function of this name in base/file_lock.hpp.
  virtual bool is_lock_held(const std::filesystem::path& path) const;

  /// Lets the thread sleep.
  virtual void sleep(std::chrono::milliseconds time) const;
  /// Calls `function` in its own thread, first after one period. Signals stay with the other threads. Throws
  /// SystemError where the system refuses a thread.
  virtual std::unique_ptr<Repetition> repeat(std::chrono::milliseconds period, std::function<void()> function) const;
  /// Locks a mutex, which another function of `repeat` may have.
  virtual std::unique_lock<std::mutex> lock(std::mutex& mutex) const;

  /// Returns the number of this process.
  virtual std::int64_t process() const;
  /// Returns the name of this host.
  virtual std::string host() const;
  /// Returns the name of this host's boot and of its namespace of process numbers; empty where it is not known.
  virtual std::string boot() const;
  /// Returns as the functions of these names in base/process.hpp.
  virtual std::optional<std::uint64_t> start_of_process(std::int64_t number) const;
  virtual bool process_has_ended(std::int64_t number, std::uint64_t start) const;
};

/// Returns the world that makes the real calls.
const World& real_world();

// Functions of other headers in base/, in a given world.

OpenFile open_regular_file(const World& world, const std::filesystem::path& path, Links links);
std::size_t read_some(const World& world, const OpenFile& file, char* buffer, std::size_t capacity,
                      const std::filesystem::path& path);
std::string read_whole_file(const World& world, const std::filesystem::path& path, std::size_t max_bytes, Links links);
std::string content_hash(const World& world, const std::filesystem::path& path, Links links);
void write_file_atomically(const World& world, const std::filesystem::path& path, std::string_view bytes);

}  // namespace gausscse

namespace gausscse::file_calls {

FileDescriptor create_file(const World& world, const std::filesystem::path& path);
FileDescriptor open_for_sync(const World& world, const std::filesystem::path& path);
void write_all(const World& world, const FileDescriptor& file, std::string_view bytes,
               const std::filesystem::path& path);
void sync(const World& world, const FileDescriptor& file, const std::filesystem::path& path);
void close(const World& world, FileDescriptor file, const std::filesystem::path& path);
void make_folder(const World& world, const std::filesystem::path& path);
void rename(const World& world, const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace gausscse::file_calls
