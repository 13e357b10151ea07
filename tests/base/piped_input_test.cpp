#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/content_hash.hpp"
#include "base/file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::refusal_of;
using testing_support::says;
using testing_support::TemporaryFolder;
using testing_support::write_bytes;

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
