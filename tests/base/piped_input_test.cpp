#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "base/content_hash.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Room that the file systems of this program's files have; empty: their own.
std::function<void(struct statvfs&)> pretended_room;

}  // namespace
}  // namespace gausscse

/// In place of the C library's.
extern "C" int fstatvfs(int file, struct statvfs* room) noexcept {
  using Call = int (*)(int, struct statvfs*);
  static const Call real = reinterpret_cast<Call>(::dlsym(RTLD_NEXT, "fstatvfs"));
  const int result = real(file, room);
  if (gausscse::pretended_room) gausscse::pretended_room(*room);
  return result;
}

namespace gausscse {
namespace {

TEST(PipedInput, IsReadAsOftenAsAFileOnceItIsKept) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(is_piped_input(pipe));
  EXPECT_TRUE(says(refusal_of([&] { read_whole_file(pipe, 100); }), "is not a regular file"));
  // More than a pipe holds at once.
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += std::to_string(i) + "\n";
  std::thread writer([&] {
    const FileDescriptor end(::open(pipe.c_str(), O_WRONLY));
    for (std::size_t written = 0; written < text.size();)
      written += static_cast<std::size_t>(
          std::max<ssize_t>(0, ::write(end.get(), text.data() + written, text.size() - written)));
  });
  keep_piped_input(pipe);
  writer.join();
  keep_piped_input(pipe);  // would wait for another writer
  EXPECT_EQ(read_whole_file(pipe, text.size()), text);
  EXPECT_EQ(MappedFile(pipe).bytes(), text);
  write_bytes(folder / "file", text);
  EXPECT_EQ(content_hash(pipe), content_hash(folder / "file"));
  const OpenFile one = open_regular_file(pipe), other = open_regular_file(pipe);
  std::string begin(3, '\0'), again(3, '\0');
  read_some(one, begin.data(), begin.size(), pipe);
  read_some(other, again.data(), again.size(), pipe);
  EXPECT_EQ(begin, "0\n1");
  EXPECT_EQ(again, "0\n1");
}

std::string problem_of_keeping(const std::filesystem::path& pipe) {
  try {
    keep_piped_input(pipe);
  } catch (const WriteError& error) {
    return error.what();
  }
  return "kept";
}

/// It is refused once the room where it is kept falls below 1 GiB, of which this test plays the file system.
TEST(PipedInput, WithoutEndIsRefusedBeforeItFillsTheDisk) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::size_t given = 0;
  std::thread writer([&] {
    sigset_t broken_pipe;
    sigemptyset(&broken_pipe);
    sigaddset(&broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken_pipe, nullptr);
    const FileDescriptor end(::open(pipe.c_str(), O_WRONLY));
    const std::vector<char> line(std::size_t{1} << 16, 'y');
    for (ssize_t count; (count = ::write(end.get(), line.data(), line.size())) > 0;)
      given += static_cast<std::size_t>(count);
  });
  constexpr std::uint64_t mebibyte = 1 << 20;
  std::uint64_t looks = 0;
  pretended_room = [&](struct statvfs& room) {
    room.f_frsize = mebibyte;
    room.f_blocks = 100 * 1024;
    room.f_bavail = ++looks == 1 ? 1024 : 1023;
  };
  const std::string refusal = problem_of_keeping(pipe);
  pretended_room = nullptr;
  writer.join();
  EXPECT_EQ(looks, 2u);
  EXPECT_EQ(refusal, pipe.string() +
                         ": has given 32 MiB so far and has not ended, and only 1023 MiB are left where it is kept: "
                         "set TMPDIR to a folder with more room, or give a file");
  EXPECT_GE(given, 32 * mebibyte);
  EXPECT_LT(given, 34 * mebibyte);
  EXPECT_FALSE(kept_input(pipe));
}

/// 1/16 of a small file system is enough.
TEST(PipedInput, OfAnyLengthIsKeptWhereRoomIsLeft) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  constexpr std::size_t bytes = std::size_t{17} << 20;
  std::thread writer([&] {
    const FileDescriptor end(::open(pipe.c_str(), O_WRONLY));
    const std::string text(bytes, 'y');
    for (std::size_t written = 0; written < bytes;)
      written += static_cast<std::size_t>(
          std::max<ssize_t>(0, ::write(end.get(), text.data() + written, text.size() - written)));
  });
  std::uint64_t looks = 0;
  pretended_room = [&](struct statvfs& room) {
    room.f_frsize = 4096;
    room.f_blocks = 16 * 1000;
    room.f_bavail = 1000;
    ++looks;
  };
  keep_piped_input(pipe);
  pretended_room = nullptr;
  writer.join();
  EXPECT_EQ(looks, 1u);
  EXPECT_EQ(open_regular_file(pipe).size, bytes);
}

TEST(PipedInput, IsRefusedWhereNoTemporaryFileCanBeMade) {
  const TemporaryFolder folder;
  const std::filesystem::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const FileDescriptor both_ends(::open(pipe.c_str(), O_RDWR));
  const char* before = std::getenv("TMPDIR");
  const std::string old = before ? before : "";
  ::setenv("TMPDIR", (folder / "missing").c_str(), 1);
  const std::string refusal = problem_of_keeping(pipe);
  before ? ::setenv("TMPDIR", old.c_str(), 1) : ::unsetenv("TMPDIR");
  EXPECT_TRUE(
      says(refusal, pipe.string() + ": is a pipe, whose content is kept in a temporary file, and none can be made"));
  EXPECT_TRUE(says(refusal, "set TMPDIR to a folder with room for it, or give a file"));
}

TEST(PipedInput, FilesAndDevicesWithoutEndAreNone) {
  const TemporaryFolder folder;
  write_bytes(folder / "file", "a");
  EXPECT_TRUE(is_piped_input("-"));
  EXPECT_TRUE(is_piped_input("/dev/null"));
  for (const std::filesystem::path& path :
       {folder / "file", folder.path(), folder / "missing", std::filesystem::path("/dev/zero")}) {
    EXPECT_FALSE(is_piped_input(path)) << path;
    keep_piped_input(path);
    EXPECT_FALSE(kept_input(path)) << path;
  }
}

}  // namespace
}  // namespace gausscse
