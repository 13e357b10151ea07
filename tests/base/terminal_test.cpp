#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>

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

}  // namespace
}  // namespace gausscse
