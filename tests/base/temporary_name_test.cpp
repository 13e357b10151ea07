#include "base/temporary_name.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "base/process.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Returns the number of a process that is gone.
pid_t dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

/// Returns a temporary name of `path` as process `process`, such as "17.123", would have made it.
template <typename Process>
fs::path made_by(const Process& process, const fs::path& path) {
  std::string name = temporary_sibling(path).string();
  const std::size_t begin = name.rfind(concat("-", ::getpid(), ".")), end = name.rfind('-');
  return name.replace(begin, end - begin, concat("-", process));
}

/// Returns when process `id` began, by the kernel.
std::uint64_t start_of(pid_t id) {
  std::ifstream file(concat("/proc/", id, "/stat"));
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  for (int field = 3; field <= 22; ++field) fields >> text;
  return std::stoull(text);
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

/// A number is used again, and a process that has ended has one until its parent asks for its end.
TEST(TemporaryName, OfAZombieOrAnotherProcessWithTheNumberIsAbandoned) {
  const TemporaryFolder folder;
  const fs::path path = folder / "f";
  const std::uint64_t start = start_of(::getpid());
  const fs::path own = temporary_sibling(path);
  EXPECT_NE(own.string().find(concat("-", ::getpid(), ".", start, "-")), std::string::npos) << own;
  const pid_t zombie = ::fork();
  if (zombie == 0) ::_exit(0);
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(zombie), &ended, WEXITED | WNOWAIT), 0);
  write_bytes(own, "of this process");
  write_bytes(made_by(::getpid(), path), "of this process, by a version that did not name its start");
  write_bytes(made_by(concat(::getpid(), ".", start - 1), path), "of one that had its number before");
  write_bytes(made_by(zombie, path), "of one that has ended");
  EXPECT_EQ(remove_abandoned_siblings(path), 2u);
  EXPECT_TRUE(fs::exists(own));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2);
  ::waitpid(zombie, nullptr, 0);
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename().string());
  return names;
}

TEST(TemporaryName, OnlyWholeNamesOfOwnFilesAreTaken) {
  const TemporaryFolder folder;
  const auto is_own = [](std::string_view name) { return name == "model" || name == "a.tmp-b"; };
  const std::string dead = std::to_string(dead_process()), host = host_name(), here = concat(".tmp-", host, "-");
  const std::set<std::string> abandoned = {concat("model", here, dead, "-0"), concat("a.tmp-b", here, dead, "-12"),
                                           concat("model", here, dead, ".77-0")};
  const std::set<std::string> of_others = {concat("model.tmp-", host, "x-", dead, "-0"), "model.tmp-else-where-7-0",
                                           concat("model", here, ::getpid(), "-3"), concat("model", here, "1-0")};
  const std::set<std::string> foreign = {"model",
                                         "model.tmp-",
                                         "model.tmp-old",
                                         "notes.tmp-old",
                                         concat("model", here, dead),
                                         concat("model", here, dead, "-"),
                                         concat("model", here, dead, "-0x"),
                                         concat("model", here, dead, "-0.txt"),
                                         concat("model", here, dead, ".-0"),
                                         concat("model", here, dead, ".x-0"),
                                         concat("model", here, "0-0"),
                                         concat("model", here, dead, "--1"),
                                         concat("model.tmp--", dead, "-0"),
                                         concat("xmodel", here, dead, "-0"),
                                         concat("models", here, dead, "-0")};
  for (const auto* names : {&abandoned, &of_others, &foreign})
    for (const std::string& name : *names) {
      fs::create_directory(folder / name);
      write_bytes(folder / name / "inside", "x");
    }
  const Leftovers leftovers = remove_abandoned(folder.path(), is_own);
  EXPECT_EQ(leftovers.removed, abandoned.size());
  std::set<std::string> kept, expected = foreign;
  for (const fs::path& path : leftovers.kept) {
    EXPECT_EQ(path.parent_path(), folder.path());
    kept.insert(path.filename().string());
  }
  EXPECT_EQ(kept, of_others);
  expected.insert(of_others.begin(), of_others.end());
  EXPECT_EQ(names_in(folder.path()), expected);
  EXPECT_EQ(remove_abandoned(folder / "missing", is_own).removed, 0u);
}

}  // namespace
}  // namespace gausscse
