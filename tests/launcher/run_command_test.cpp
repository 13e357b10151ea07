#include "launcher/run_command.hpp"

#include <spdlog/spdlog.h>

#include <new>
#include <system_error>

#include "dist/control_group.hpp"
#include "launcher/log.hpp"
#include "launcher/standard_output.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

/// Returns run_command's message for an error of this command, and expects it to end with this code.
template <typename Error>
std::string message_of(const std::string& command, const Error& error, int exit_code) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_command(command, [&]() -> int { throw error; }), exit_code);
  return testing::internal::GetCapturedStderr();
}

TEST(RunCommand, ReportsWhatToDoWithThatCommand) {
  const std::string of_encode = message_of("encode", std::bad_alloc(), 1);
  EXPECT_TRUE(of_encode.starts_with("gausscse: error: out of memory: start fewer threads per rank")) << of_encode;
  EXPECT_NE(message_of("train", std::bad_alloc(), 1).find("training.micro_batch"), std::string::npos);
}

TEST(RunCommand, ReportsWrongInputByItsCode) {
  EXPECT_EQ(message_of("encode", InputError("no such file"), 2), "gausscse: error: no such file\n");
  EXPECT_EQ(message_of("encode", std::runtime_error("no more"), 1), "gausscse: error: no more\n");
}

/// As std::filesystem throws them where nothing else names the path.
TEST(RunCommand, ReportsWhichPathIsRefusedAndWhatToDo) {
  const auto messages = [](std::errc code, int exit_code) {
    return message_of("show", std::filesystem::filesystem_error("status", "out/model", std::make_error_code(code)),
                      exit_code);
  };
  EXPECT_EQ(messages(std::errc::permission_denied, 2),
            "gausscse: error: out/model: Permission denied: ask its owner for access, or give another path\n");
  EXPECT_EQ(messages(std::errc::no_space_on_device, 2),
            "gausscse: error: out/model: No space left on device: make room there, and start the same command again\n");
  EXPECT_EQ(messages(std::errc::io_error, 1), "gausscse: error: out/model: Input/output error\n");
}

/// A path may hold characters that move a terminal's cursor, or that it takes for a title.
TEST(RunCommand, ShowsControlCharactersOfAMessage) {
  EXPECT_EQ(message_of("show", InputError("a\x1b[2J\r:\n  no\u009b such file"), 2),
            "gausscse: error: a\\u{1B}[2J\\r:\n  no\\u{9B} such file\n");
}

TEST(RunCommand, ShowsControlCharactersInLogsAndAnswers) {
  testing::internal::CaptureStderr();
  start_worker_log(Verbosity::notes);
  spdlog::info("label \x1b]0;title\x07 begins\n  next line");
  start_log(*make_self_control_group(), Verbosity::notes);
  spdlog::warn("path \x1b[31m");
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("info: label \\u{1B}]0;title\\u{7} begins\n  next line\n"), std::string::npos) << log;
  EXPECT_NE(log.find("warning: path \\u{1B}[31m\n"), std::string::npos) << log;
  testing::internal::CaptureStdout();
  print_text("axis\tlabel \x1b[2J\n");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "axis\tlabel \\u{1B}[2J\n");
}

TEST(RunCommand, ReturnsWhatTheCommandDoes) {
  EXPECT_EQ(run_command("run", [] { return 130; }), 130);
}

}  // namespace
}  // namespace gausscse
