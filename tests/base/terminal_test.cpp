#include "base/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <utility>

#include "base/file_calls.hpp"
#include "base/process.hpp"

namespace gausscse {
namespace {

TEST(Terminal, IsDrawnOnUnlessItsKindForbidsIt) {
  const FileDescriptor outer(::posix_openpt(O_RDWR | O_NOCTTY));
  ASSERT_GE(outer.get(), 0);
  ASSERT_EQ(::grantpt(outer.get()), 0);
  ASSERT_EQ(::unlockpt(outer.get()), 0);
  const FileDescriptor terminal(::open(::ptsname(outer.get()), O_RDWR | O_NOCTTY));
  ASSERT_GE(terminal.get(), 0);
  const FileDescriptor file(::open("/dev/null", O_WRONLY));
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(is_drawing_terminal(terminal.get()));
  EXPECT_FALSE(is_drawing_terminal(file.get()));
  for (const char* kind : {"dumb", ""}) {
    ::setenv("TERM", kind, 1);
    EXPECT_FALSE(is_drawing_terminal(terminal.get())) << kind;
  }
  ::unsetenv("TERM");
  EXPECT_FALSE(is_drawing_terminal(terminal.get()));
}

TEST(Terminal, KnowsItsSize) {
  const FileDescriptor outer(::posix_openpt(O_RDWR | O_NOCTTY));
  ASSERT_GE(outer.get(), 0);
  ASSERT_EQ(::grantpt(outer.get()), 0);
  ASSERT_EQ(::unlockpt(outer.get()), 0);
  const FileDescriptor terminal(::open(::ptsname(outer.get()), O_RDWR | O_NOCTTY));
  ASSERT_GE(terminal.get(), 0);
  const auto size = [&] {
    const TerminalSize found = size_of_terminal(terminal.get());
    return std::pair(found.columns, found.rows);
  };
  EXPECT_EQ(size(), std::pair(std::size_t{80}, std::size_t{24})) << "a new one does not know it";
  winsize given{};
  given.ws_col = 132;
  given.ws_row = 50;
  ASSERT_EQ(::ioctl(outer.get(), TIOCSWINSZ, &given), 0);
  EXPECT_EQ(size(), std::pair(std::size_t{132}, std::size_t{50}));
  EXPECT_EQ(size_of_terminal(FileDescriptor(::open("/dev/null", O_WRONLY)).get()).columns, 80u);
}

TEST(Terminal, CharactersTakeAColumn) {
  EXPECT_EQ(columns_of(""), 0u);
  EXPECT_EQ(columns_of("ch\u00e4 \u2026"), 5u);
  EXPECT_EQ(cut_to_columns("ch\u00e4 1", 3), "ch\u00e4");
  EXPECT_EQ(cut_to_columns("ch\u00e4 1", 9), "ch\u00e4 1");
  EXPECT_EQ(cut_to_columns("abc", 0), "");
  EXPECT_EQ(filled_to_columns("ch\u00e4", 5), "ch\u00e4  ");
  EXPECT_EQ(filled_to_columns("ch\u00e4", 2), "ch");
}

}  // namespace
}  // namespace gausscse
