#include "launcher/start_program.hpp"

#include "base/process.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

struct Ended {
  int code;
  std::string output, errors;
};

Ended start(const char* program) {
  std::string name = "gausscse", first = "show", second = "result.h5";
  char* arguments[] = {name.data(), first.data(), second.data(), nullptr};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = start_program(program, 3, arguments);
  return {code, testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr()};
}

TEST(StartProgram, GivesTheProgramItsArgumentsAndReturnsItsExitCode) {
  const Ended ended = start(WHOLE_PROGRAM);
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.output, "show result.h5 ");
  EXPECT_EQ(ended.errors, "");
}

TEST(StartProgram, ReportsWhichLibraryIsMissing) {
  const Ended ended = start(PROGRAM_WITHOUT_NCCL);
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.output, "");
  EXPECT_EQ(ended.errors,
            concat("gausscse: error: the program cannot start on host ", host_name(),
                   ", because the system cannot load a library: libnccl_of_test.so: cannot open shared object file: No "
                   "such file or directory\nThis build is for GPUs and takes LibTorch 2.11.0 with CUDA 13, cuDNN and "
                   "NCCL, which `pip install torch==2.11.0` brings; LD_LIBRARY_PATH names folders of libraries to look "
                   "into (docs/gpu.md). A build for CPUs (scripts/build.sh) needs none of them.\n"));
}

TEST(StartProgram, ReportsThatTheProgramItselfIsMissing) {
  const Ended none = start("libgausscse_no_such.so");
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.errors.find(": libgausscse_no_such.so: cannot open shared object file"), std::string::npos);
  const Ended other = start("libm.so.6");
  EXPECT_EQ(other.code, 1);
  EXPECT_NE(other.errors.find("undefined symbol: gausscse_program"), std::string::npos) << other.errors;
}

}  // namespace
}  // namespace gausscse
