#include <csignal>

#include "experiments/processes/child_process.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

ChildEnd exited(int code) {
  ChildEnd end;
  end.exit_code = code;
  return end;
}

ChildEnd signalled(int signal) {
  ChildEnd end;
  end.signal = signal;
  return end;
}

/// The table in docs/studies.md.
TEST(FailureClass, IsByTheReportWhereThereIsOne) {
  const auto reported = [](ErrorKind kind, const ChildEnd& end) {
    return class_of_failure(end, ErrorReport{kind, "x"}, true);
  };
  EXPECT_EQ(reported(ErrorKind::input, exited(2)), FailureClass::trial);
  EXPECT_EQ(reported(ErrorKind::internal, exited(1)), FailureClass::trial);
  EXPECT_EQ(reported(ErrorKind::write, exited(2)), FailureClass::machine);
  EXPECT_EQ(reported(ErrorKind::memory, exited(1)), FailureClass::machine);
  EXPECT_EQ(reported(ErrorKind::system, exited(1)), FailureClass::machine);
  EXPECT_EQ(reported(ErrorKind::input, signalled(SIGKILL)), FailureClass::trial) << "mpirun was killed behind it";
}

TEST(FailureClass, OfASignalIsTheTrialsWhereTheProgramBroughtItUponItself) {
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGSYS, SIGTRAP})
    for (const ChildEnd& end : {signalled(signal), exited(128 + signal)}) {
      EXPECT_EQ(class_of_failure(end, std::nullopt, true), FailureClass::trial) << to_text(end);
      EXPECT_EQ(class_of_failure(end, std::nullopt, false), FailureClass::machine) << to_text(end);
    }
  for (const int signal : {SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGBUS, SIGXCPU, SIGXFSZ, SIGPIPE, SIGUSR2})
    for (const ChildEnd& end : {signalled(signal), exited(128 + signal)})
      EXPECT_EQ(class_of_failure(end, std::nullopt, true), FailureClass::machine) << to_text(end);
}

TEST(FailureClass, OfAProgramThatSaysNothingIsTheMachines) {
  for (const int code : {1, 2, 6, 126, 127, 255})
    for (const bool has_begun : {false, true})
      EXPECT_EQ(class_of_failure(exited(code), std::nullopt, has_begun), FailureClass::machine) << code;
}

TEST(ErrorReport, IsReadAsItWasWritten) {
  const TemporaryFolder folder;
  const auto file = folder / "error.json";
  EXPECT_EQ(read_error_report(file), std::nullopt);
  write_error_report(file, {ErrorKind::memory, "no\nmemory"});
  EXPECT_EQ(read_whole_file(file, 1000),
            "{\"format\":\"gausscse-error/1\",\"kind\":\"memory\",\"message\":\"no\\nmemory\"}\n");
  EXPECT_EQ(read_error_report(file), (ErrorReport{ErrorKind::memory, "no\nmemory"}));
  write_error_report(file, {ErrorKind::input, "later"});
  EXPECT_EQ(read_error_report(file), (ErrorReport{ErrorKind::input, "later"}));
}

TEST(ErrorReport, TakesThePlaceOfNothingElse) {
  const TemporaryFolder folder;
  const auto file = folder / "mine.txt";
  for (const char* mine : {"", "my own", "{\"kind\": \"input\"}",
                           "{\"format\":\"gausscse-error/1\",\"kind\":\"luck\",\"message\":\"\"}"}) {
    write_bytes(file, mine);
    EXPECT_EQ(read_error_report(file), std::nullopt);
    write_error_report(file, {ErrorKind::input, "x"});
    EXPECT_EQ(read_whole_file(file, 1000), mine);
  }
  write_error_report(folder / "none" / "error.json", {ErrorKind::write, "a report that cannot be written is none"});
}

}  // namespace
}  // namespace gausscse
