#include "launcher/start_program.hpp"

#include "base/error.hpp"
#include "base/process.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

int start(const char* program) {
  std::string name = "gausscse", first = "show", second = "result.h5";
  char* arguments[] = {name.data(), first.data(), second.data(), nullptr};
  return start_program(program, "1.2 (abc)", "get it", 3, arguments);
}

std::string problem_of(const char* program) {
  try {
    start(program);
  } catch (const SystemError& error) {
    return error.what();
  }
  return {};
}

TEST(StartProgram, GivesTheProgramItsArgumentsAndReturnsItsExitCode) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(start(WHOLE_PROGRAM), 3);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "1.2 (abc) show result.h5 ");
}

TEST(StartProgram, ReportsWhichLibraryIsMissing) {
  const std::string begin = concat("LibTorch or a library beside it cannot be loaded on host ", host_name(), ": ");
  EXPECT_EQ(problem_of(PROGRAM_WITHOUT_NCCL),
            begin + "libnccl_of_test.so: cannot open shared object file: No such file or directory: get it");
  EXPECT_EQ(problem_of("libgausscse_no_such.so"),
            begin + "libgausscse_no_such.so: cannot open shared object file: No such file or directory: get it");
}

TEST(StartProgram, ReportsALibraryThatIsAnother) {
  EXPECT_NE(problem_of("libm.so.6").find("undefined symbol: gausscse_program"), std::string::npos);
}

}  // namespace
}  // namespace gausscse
