#include "base/sealed_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(SealedMemory, HoldsTheBytes) {
  SealedMemory memory("one, two");
  const char* begin = memory.bytes().data();
  EXPECT_EQ(memory.bytes(), "one, two");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(begin) % 8, 0u);
  const SealedMemory moved = std::move(memory);
  EXPECT_EQ(moved.bytes().data(), begin);
  EXPECT_EQ(SealedMemory("").bytes(), "");
  EXPECT_EQ(SealedMemory().place(), "");
}

TEST(SealedMemory, HoldsPiecesOneBehindTheOther) {
  const std::string large(5000001, 'x'), other(3 << 20, 'y');
  const std::string_view pieces[] = {"one", "", large, "two", other, "three"};
  const SealedMemory memory{std::span<const std::string_view>(pieces)};
  const std::string expected = "one" + large + "two" + other + "three";
  EXPECT_TRUE(memory.bytes() == expected);
  const TemporaryFolder folder;
  write_bytes(folder / "f", expected);
  EXPECT_TRUE(SealedMemory::copy_of(open_regular_file(folder / "f"), folder / "f").bytes() == expected);
}

TEST(SealedMemory, IsACopyOfAFile) {
  const TemporaryFolder folder;
  const std::string text(3'000'000, 'x');
  write_bytes(folder / "f", text);
  const SealedMemory memory = SealedMemory::copy_of(open_regular_file(folder / "f"), folder / "f");
  std::filesystem::resize_file(folder / "f", 10);
  EXPECT_EQ(memory.bytes(), text);
  const OpenFile opened = open_regular_file(folder / "f");
  std::filesystem::resize_file(folder / "f", 9);
  EXPECT_TRUE(says(refusal_of([&] { SealedMemory::copy_of(opened, folder / "f"); }), "became shorter"));
}

TEST(SealedMemory, IsSharedByItsPlaceAndChangedByNobody) {
  const SealedMemory memory("never changes");
  const std::string place = memory.place();
  EXPECT_TRUE(place.starts_with("/proc/")) << "it takes nothing from /dev/shm: " << place;
  EXPECT_EQ(SealedMemory::shared(place).bytes(), "never changes");
  const FileDescriptor file(::open(place.c_str(), O_RDWR));
  ASSERT_GE(file.get(), 0);
  EXPECT_EQ(::pwrite(file.get(), "x", 1, 0), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_NE(::ftruncate(file.get(), 0), 0);
  EXPECT_NE(::ftruncate(file.get(), 100), 0);
  EXPECT_EQ(::mmap(nullptr, 5, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0), MAP_FAILED);
  EXPECT_EQ(memory.bytes(), "never changes");
}

TEST(SealedMemory, OfAnotherKindIsRefused) {
  const TemporaryFolder folder;
  write_bytes(folder / "f", "text");
  const FileDescriptor open_to_all(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  for (const std::string& place :
       {(folder / "f").string(), "/proc/self/fd/" + std::to_string(open_to_all.get()), folder.path().string()})
    EXPECT_TRUE(says(refusal_of([&] { SealedMemory::shared(place); }), place + ": is not sealed"));
  EXPECT_TRUE(says(refusal_of([&] { SealedMemory::shared((folder / "none").string()); }), "No such file"));
}

}  // namespace
}  // namespace gausscse
