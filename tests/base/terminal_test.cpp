#include "base/terminal.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "base/file_calls.hpp"
#include "base/process.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// A pseudo-terminal.
class Terminal : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_GE(outer_.get(), 0);
    ASSERT_EQ(::grantpt(outer_.get()), 0);
    ASSERT_EQ(::unlockpt(outer_.get()), 0);
    terminal_ = FileDescriptor(::open(::ptsname(outer_.get()), O_RDWR | O_NOCTTY));
    ASSERT_GE(terminal_.get(), 0);
  }
  FileDescriptor outer_{::posix_openpt(O_RDWR | O_NOCTTY)}, terminal_;
};

TEST_F(Terminal, IsDrawnOnUnlessItsKindForbidsIt) {
  const FileDescriptor file(::open("/dev/null", O_WRONLY));
  ::setenv("TERM", "xterm", 1);
  EXPECT_TRUE(is_drawing_terminal(terminal_.get()));
  EXPECT_FALSE(is_drawing_terminal(file.get()));
  for (const char* kind : {"dumb", ""}) {
    ::setenv("TERM", kind, 1);
    EXPECT_FALSE(is_drawing_terminal(terminal_.get())) << kind;
  }
  ::unsetenv("TERM");
  EXPECT_FALSE(is_drawing_terminal(terminal_.get()));
}

TEST_F(Terminal, KnowsItsSize) {
  const auto size = [&] {
    const TerminalSize found = size_of_terminal(terminal_.get());
    return std::pair(found.columns, found.rows);
  };
  EXPECT_EQ(size(), std::pair(std::size_t{80}, std::size_t{24})) << "a new one does not know it";
  winsize given{};
  given.ws_col = 132;
  given.ws_row = 50;
  ASSERT_EQ(::ioctl(outer_.get(), TIOCSWINSZ, &given), 0);
  EXPECT_EQ(size(), std::pair(std::size_t{132}, std::size_t{50}));
  EXPECT_EQ(size_of_terminal(FileDescriptor(::open("/dev/null", O_WRONLY)).get()).columns, 80u);
}

TEST_F(Terminal, CharactersTakeAColumn) {
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
