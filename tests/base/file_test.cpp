#include "base/file.hpp"

#include <sys/stat.h>

#include "base/atomic_file.hpp"
#include "base/content_hash.hpp"
#include "base/process.hpp"
#include "base/strict_json.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(ReadWholeFile, ReturnsEveryByte) {
  const TemporaryFolder folder;
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += static_cast<char>(i * 7 % 256);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{4096}, bytes.size()}) {
    write_bytes(folder / "f", bytes.substr(0, size));
    EXPECT_EQ(read_whole_file(folder / "f", 1 << 20), bytes.substr(0, size));
  }
}

TEST(ReadWholeFile, ReadsFilesThatDoNotTellTheirSize) {
  ASSERT_EQ(std::filesystem::file_size("/proc/self/status"), 0u);
  EXPECT_TRUE(says(read_whole_file("/proc/self/status", 1 << 20), "Pid:"));
  EXPECT_TRUE(says(refusal_of([] { read_whole_file("/proc/self/status", 10); }), "larger than 10 bytes"));
}

TEST(ReadWholeFile, RefusesLargerFilesWithoutReadingThem) {
  const TemporaryFolder folder;
  write_bytes(folder / "f", "12345");
  EXPECT_EQ(read_whole_file(folder / "f", 5), "12345");
  EXPECT_TRUE(says(refusal_of([&] { read_whole_file(folder / "f", 4); }), "larger than 4 bytes"));
  std::filesystem::resize_file(folder / "f", std::uintmax_t{1} << 40);
  EXPECT_TRUE(says(refusal_of([&] { read_whole_file(folder / "f", 1 << 20); }), "larger than"));
}

/// Both ways of reading refuse the same paths, naming them.
void expect_refused(const std::filesystem::path& path, const std::string& why) {
  const std::string whole = refusal_of([&] { read_whole_file(path, 1 << 20); });
  const std::string mapped = refusal_of([&] { MappedFile file(path); });
  EXPECT_TRUE(says(whole, why));
  EXPECT_TRUE(says(whole, path.string()));
  EXPECT_EQ(mapped, whole);
}

TEST(ReadingFiles, NamesThePathAndTheReason) {
  const TemporaryFolder folder;
  write_bytes(folder / "f", "x");
  expect_refused(folder / "missing", "no such file");
  expect_refused(folder / "f" / "below", "no such file");
  expect_refused("", "no such file");
  expect_refused(folder.path(), "is a folder");
  expect_refused(folder / std::string(300, 'x'), "cannot be opened");
  std::filesystem::create_symlink("loop", folder / "loop");
  expect_refused(folder / "loop", "cannot be opened");
  expect_refused("/dev/null", "not a regular file");
}

TEST(WorkCount, RisesWithEachBlockThatIsReadOrWritten) {
  const TemporaryFolder folder;
  std::uint64_t before = work_count();
  write_file_atomically(folder / "f", "some bytes");
  EXPECT_EQ(work_count(), before + 1);
  before = work_count();
  EXPECT_EQ(read_whole_file(folder / "f", 100), "some bytes");
  EXPECT_EQ(work_count(), before + 2) << "the bytes, and their end";
  EXPECT_EQ(work_count(), before + 2);
}

TEST(ReadingFiles, RefusesALinkWhereOthersMayWrite) {
  const TemporaryFolder folder;
  write_bytes(folder / "f", "{}");
  std::filesystem::create_symlink("f", folder / "link");
  const std::filesystem::path link = folder / "link";
  EXPECT_EQ(read_whole_file(link, 9), "{}");
  EXPECT_EQ(read_whole_file(folder / "f", 9, Links::refused), "{}");
  const std::string refusal = link.string() + ": is a symbolic link";
  EXPECT_TRUE(says(refusal_of([&] { read_whole_file(link, 9, Links::refused); }), refusal));
  EXPECT_TRUE(says(refusal_of([&] { MappedFile file(link, Links::refused); }), refusal));
  EXPECT_TRUE(says(refusal_of([&] { content_hash(link, Links::refused); }), refusal));
  EXPECT_TRUE(says(refusal_of([&] { read_strict_json(link, 9, Links::refused); }), refusal));
}

// The hash of "abc", by `printf abc | xxh128sum`.
TEST(ContentHash, IsThatOfXxhsumForAFileForBytesAndForPieces) {
  const std::string golden = "06b05ab6733a618578af5f94892f3950";
  const TemporaryFolder folder;
  write_bytes(folder / "f", "abc");
  EXPECT_EQ(content_hash(folder / "f"), golden);
  EXPECT_EQ(content_hash_of("abc"), golden);
  ContentHasher hasher;
  for (const char* piece : {"a", "", "bc"}) hasher.add(piece);
  EXPECT_EQ(hasher.digits(), golden);
  const std::string large(3'000'001, 'z');
  write_bytes(folder / "f", large);
  EXPECT_EQ(content_hash(folder / "f"), content_hash_of(large));
  EXPECT_TRUE(says(refusal_of([&] { content_hash(folder / "missing"); }), "no such file"));
  EXPECT_TRUE(says(refusal_of([&] { content_hash(folder.path()); }), "is a folder"));
  EXPECT_EQ(program_hash(), content_hash("/proc/self/exe"));
}

TEST(ReadingFiles, DoesNotWaitForAPipe) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  expect_refused(folder / "pipe", "not a regular file");
}

TEST(MappedFile, MapsAllBytesAndMoves) {
  const TemporaryFolder folder;
  write_bytes(folder / "f", "some bytes");
  write_bytes(folder / "g", "others");
  MappedFile first(folder / "f");
  const char* address = first.bytes().data();
  EXPECT_EQ(first.bytes(), "some bytes");
  MappedFile second(std::move(first));
  EXPECT_EQ(second.bytes().data(), address);
  MappedFile third(folder / "g");
  third = std::move(second);
  EXPECT_EQ(third.bytes(), "some bytes");
  EXPECT_EQ(third.bytes().data(), address);
}

TEST(MappedFile, MapsAnEmptyFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "f", "");
  EXPECT_TRUE(MappedFile(folder / "f").bytes().empty());
}

TEST(MappedFile, KeepsTheContentOfAReplacedFile) {
  const TemporaryFolder folder;
  write_bytes(folder / "f", "old");
  const MappedFile file(folder / "f");
  write_bytes(folder / "g", "new!");
  std::filesystem::rename(folder / "g", folder / "f");
  EXPECT_EQ(file.bytes(), "old");
}

}  // namespace
}  // namespace gausscse
