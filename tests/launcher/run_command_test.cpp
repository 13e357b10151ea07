#include "launcher/run_command.hpp"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include "base/error.hpp"

namespace gausscse {
namespace {

/// What run_command tells of an error of this command, and that it ends with this code.
template <typename Error>
std::string told_of(const std::string& command, const Error& error, int exit_code) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_command(command, [&]() -> int { throw error; }), exit_code);
  return testing::internal::GetCapturedStderr();
}

TEST(RunCommand, TellsWhatToDoWithThatCommand) {
  const std::string of_encode = told_of("encode", std::bad_alloc(), 1);
  EXPECT_TRUE(of_encode.starts_with("gausscse: error: out of memory: start fewer threads a rank")) << of_encode;
  EXPECT_NE(told_of("train", std::bad_alloc(), 1).find("training.micro_batch"), std::string::npos);
}

TEST(RunCommand, TellsWrongInputByItsCode) {
  EXPECT_EQ(told_of("encode", InputError("no such file"), 2), "gausscse: error: no such file\n");
  EXPECT_EQ(told_of("encode", std::runtime_error("no more"), 1), "gausscse: error: no more\n");
}

TEST(RunCommand, ReturnsWhatTheCommandDoes) {
  EXPECT_EQ(run_command("run", [] { return 130; }), 130);
}

}  // namespace
}  // namespace gausscse
