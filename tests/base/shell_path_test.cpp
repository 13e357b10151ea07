#include "base/user_paths.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(ShellPath, ReportsWhatIsMeantAndHowToWriteTheName) {
  ::setenv("HOME", "/home/me", 1);
  ::setenv("GAUSSCSE_TEST_SCRATCH", "/scratch/7", 1);
  const auto expect_advice = [](const char* path, const std::string& whole, const std::string& literal) {
    EXPECT_EQ(shell_path_advice(path), "write " + whole + ", or \"" + literal + "\" for a name that begins so");
  };
  expect_advice("~", "\"/home/me\"", "./~");
  expect_advice("~/runs/a", "\"/home/me/runs/a\"", "./~/runs/a");
  expect_advice("$HOME/runs", "\"/home/me/runs\"", "./$HOME/runs");
  expect_advice("${HOME}/runs", "\"/home/me/runs\"", "./${HOME}/runs");
  expect_advice("$GAUSSCSE_TEST_SCRATCH/x", "\"/scratch/7/x\"", "./$GAUSSCSE_TEST_SCRATCH/x");
  expect_advice("$GAUSSCSE_TEST_UNSET/x", "the whole path", "./$GAUSSCSE_TEST_UNSET/x");
  expect_advice("~somebody/x", "the whole path", "./~somebody/x");
  expect_advice("$", "the whole path", "./$");
}

TEST(ShellPath, LeavesOtherPathsAlone) {
  for (const char* path : {"", "runs/a", "./~/runs", "/home/~me", "runs/$HOME", "a~", "../$x"}) {
    EXPECT_EQ(shell_path_advice(path), "") << path;
    EXPECT_FALSE(begins_with_home(path)) << path;
  }
  for (const char* path : {"~", "~/a", "$HOME", "$HOME/a", "${HOME}/a"}) EXPECT_TRUE(begins_with_home(path)) << path;
  for (const char* path : {"~a/b", "$HOMES", "$OTHER/a"}) EXPECT_FALSE(begins_with_home(path)) << path;
}

TEST(ShellWord, QuotesWhatAShellWouldChange) {
  for (const char* word : {"runs/a-1_b.yaml", "NAME=a,b", "user@host:x"}) EXPECT_EQ(shell_word(word), word);
  EXPECT_EQ(shell_word("my trial.yaml"), "'my trial.yaml'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("$HOME\n*"), "'$HOME\n*'");
  EXPECT_EQ(shell_word("~"), "'~'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace gausscse
