#include "base/temporary_name.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/error.hpp"
#include "tests/support/test_paths.hpp"

namespace gausscse {
namespace {

using testing_support::TemporaryFolder;
using testing_support::write_bytes;
namespace fs = std::filesystem;

/// The number of a process that is gone.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

/// A temporary name of `path` as process `process` would have made it.
fs::path made_by(pid_t process, const fs::path& path) {
  std::string name = temporary_sibling(path).string();
  const std::string own = concat("-", ::getpid(), "-");
  const std::size_t at = name.rfind(own);
  return name.replace(at, own.size(), concat("-", process, "-"));
}

TEST(TemporaryName, LiesBesideAndIsNeverTheSame) {
  const TemporaryFolder folder;
  const fs::path first = temporary_sibling(folder / "f");
  EXPECT_EQ(first.parent_path(), folder.path());
  EXPECT_EQ(first.filename().string().rfind("f.tmp-", 0), 0u) << first;
  EXPECT_NE(first, temporary_sibling(folder / "f"));
  EXPECT_EQ(temporary_sibling("f").parent_path(), ".");
}

TEST(TemporaryName, RemovesOnlyWhatDeadWritersLeft) {
  const TemporaryFolder folder;
  const fs::path path = folder / "f";
  const pid_t dead = dead_process();
  const fs::path abandoned_file = made_by(dead, path);
  const fs::path abandoned_folder = made_by(dead, path);
  const fs::path own = temporary_sibling(path);
  const fs::path of_another_name = made_by(dead, folder / "fg");
  const fs::path not_quite = folder / concat("f.tmp-", dead);
  write_bytes(abandoned_file, "x");
  fs::create_directory(abandoned_folder);
  write_bytes(abandoned_folder / "inside", "x");
  for (const fs::path& kept : {path, own, of_another_name, not_quite}) write_bytes(kept, "x");

  EXPECT_EQ(remove_abandoned_siblings(path), 2u);
  EXPECT_FALSE(fs::exists(abandoned_file));
  EXPECT_FALSE(fs::exists(abandoned_folder));
  for (const fs::path& kept : {path, own, of_another_name, not_quite}) EXPECT_TRUE(fs::exists(kept)) << kept;
  EXPECT_EQ(remove_abandoned_siblings(path), 0u);
  EXPECT_EQ(remove_abandoned_siblings(folder / "missing" / "f"), 0u);
}

TEST(TemporaryName, RemoveUnfinishedTakesThoseOfAnyMachine) {
  const TemporaryFolder folder;
  write_bytes(temporary_sibling(folder / "own"), "half");
  write_bytes(folder / "model.tmp-elsewhere-7-0", "half");
  write_bytes(folder / "whole.tmp", "whole");
  write_bytes(folder / "whole", "whole");
  remove_unfinished(folder.path());
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{"whole", "whole.tmp"}));
  remove_unfinished(folder / "missing");
}

}  // namespace
}  // namespace gausscse
