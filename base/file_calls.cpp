#include "base/file_calls.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/world.hpp"

namespace gausscse::file_calls {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_failed(const fs::path& path, const char* call, int code) {
  throw WriteError(refused_write_text(path, call, code));
}

/// Calls until it is not interrupted; the result of the last call.
template <typename Call>
auto uninterrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace

std::string write_remedy(const fs::path& path, int code) {
  std::error_code ignored;
  const fs::path folder = fs::is_directory(path, ignored) || !path.has_parent_path() ? path : path.parent_path();
  if (code == ENOSPC || code == EDQUOT) return ": make room there, and start the same command again";
  if (code == EACCES || code == EPERM)
    return concat(": ask the owner of ", folder.string(), " for permission to write there, or give another folder");
  if (code == EROFS)
    return concat(": the file system of ", folder.string(), " is mounted read-only: give another folder");
  return {};
}

std::string refused_write_text(const fs::path& path, const char* call, int code) {
  return concat("cannot write ", path.string(), ": ", call, ": ", errno_text(code), write_remedy(path, code));
}

FileDescriptor create_file(const World& world, const fs::path& path) {
  const int raw = uninterrupted([&] { return world.open(path, O_WRONLY | O_CREAT | O_EXCL); });
  if (raw < 0) throw_failed(path, "open", errno);
  return FileDescriptor(raw);
}

void write_all(const World& world, const FileDescriptor& file, std::string_view bytes, const fs::path& path) {
  constexpr std::size_t most = std::size_t{1} << 30;  // Linux writes at most 2 GiB - 4 KiB a call
  while (!bytes.empty()) {
    const ssize_t written = uninterrupted([&] { return world.write(file.get(), bytes.substr(0, most), -1); });
    if (written < 0) throw_failed(path, "write", errno);
    if (written == 0) throw_failed(path, "write took nothing", EIO);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    count_work();
  }
}

void sync(const World& world, const FileDescriptor& file, const fs::path& path) {
  if (uninterrupted([&] { return world.sync(file.get(), false); }) == 0) return;
  // Some network file systems cannot sync a folder and say so; their rename is as durable as they make it.
  if (errno == EINVAL) return;
  throw_failed(path, "fsync", errno);
}

void close(const World& world, FileDescriptor file, const fs::path& path) {
  // On Linux an interrupted close has closed, so it is not repeated.
  if (world.close(file.release()) != 0 && errno != EINTR) throw_failed(path, "close", errno);
}

FileDescriptor open_for_sync(const World& world, const fs::path& path) {
  const int raw = uninterrupted([&] { return world.open(path, O_RDONLY | O_NONBLOCK); });
  if (raw < 0) throw_failed(path, "open", errno);
  return FileDescriptor(raw);
}

void make_folder(const World& world, const fs::path& path) {
  if (uninterrupted([&] { return world.make_folder(path); }) != 0) throw_failed(path, "mkdir", errno);
}

void rename(const World& world, const fs::path& from, const fs::path& to) {
  if (uninterrupted([&] { return world.rename(from, to); }) != 0) throw_failed(to, "rename", errno);
}

bool exchange(const fs::path& one, const fs::path& other) {
  const int result =
      uninterrupted([&] { return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE); });
  if (result == 0) return true;
  if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP) return false;
  throw_failed(other, "rename", errno);
}

FileDescriptor create_file(const fs::path& path) {
  return create_file(real_world(), path);
}

void write_all(const FileDescriptor& file, std::string_view bytes, const fs::path& path) {
  write_all(real_world(), file, bytes, path);
}

void sync(const FileDescriptor& file, const fs::path& path) {
  sync(real_world(), file, path);
}

void close(FileDescriptor file, const fs::path& path) {
  close(real_world(), std::move(file), path);
}

FileDescriptor open_for_sync(const fs::path& path) {
  return open_for_sync(real_world(), path);
}

void make_folder(const fs::path& path) {
  make_folder(real_world(), path);
}

void rename(const fs::path& from, const fs::path& to) {
  rename(real_world(), from, to);
}

}  // namespace gausscse::file_calls
