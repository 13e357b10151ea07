#include "base/atomic_file.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/fault_injection.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Kills a writer before every call that it makes and looks at the files that it left: `is_old`, until it is new once
/// and for all.
void kill_before_every_call(const std::function<void()>& prepare, const std::function<void()>& write,
                            const std::function<bool()>& is_old, const std::function<bool()>& is_new) {
  std::size_t old = 0, done = 0;
  for (std::size_t k = 1;; ++k) {
    prepare();
    const bool killed = killed_before_call(k, write);
    ASSERT_TRUE(is_old() || is_new()) << "call " << k;
    ASSERT_FALSE(done > 0 && is_old()) << "call " << k;
    ++(is_old() ? old : done);
    if (!killed) break;
    count_disturbance("kills of a writer, one before each of its calls");
  }
  EXPECT_TRUE(is_new());
  EXPECT_GE(old, 4u);
  EXPECT_GE(done, 2u) << "a kill after the rename, and the end";
}

TEST(KilledWriter, OfAFileLeavesTheOldOneOrTheNewOne) {
  const TemporaryFolder folder;
  const fs::path path = folder / "file";
  const std::string before(1000, 'a'), after(3000, 'b');
  kill_before_every_call([&] { write_bytes(path, before); }, [&] { write_file_atomically(path, after); },
                         [&] { return read_whole_file(path, 5000) == before; },
                         [&] { return read_whole_file(path, 5000) == after; });
}

TEST(KilledWriter, OfAFolderLeavesTheOldOneOrTheNewOne) {
  const TemporaryFolder folder;
  const fs::path path = folder / "model";
  const auto holds = [&](const std::string& content) {
    return read_whole_file(path / "a", 100) == content && read_whole_file(path / "sub" / "b", 100) == content;
  };
  const auto write = [&](const std::string& content) {
    AtomicFolder staged(path);
    staged.add_file("a", content);
    staged.add_file("sub/b", content);
    staged.commit(AtomicFolder::Existing::replace);
  };
  kill_before_every_call([&] { write("old"); }, [&] { write("new"); }, [&] { return holds("old"); },
                         [&] { return holds("new"); });
}

}  // namespace
}  // namespace gausscse
