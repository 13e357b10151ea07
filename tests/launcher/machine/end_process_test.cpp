#include <cstdio>

#include "launcher/run_command.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

TEST(EndProcess, HasItsExitCodeAndLosesNothingThatWasPrinted) {
  const TemporaryFolder folder;
  const auto file = folder / "output";
  const auto print_and_end = [&] {
    if (!std::freopen(file.c_str(), "w", stdout)) return;
    std::fputs("printed", stdout);
    end_process(3);
  };
  EXPECT_EXIT(print_and_end(), testing::ExitedWithCode(3), "");
  EXPECT_EQ(read_whole_file(file, 100), "printed");
}

}  // namespace
}  // namespace gausscse
