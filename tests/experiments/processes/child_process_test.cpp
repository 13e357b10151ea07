#include "experiments/processes/child_process.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/file_calls.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// Runs lines of the shell in their own folder; their output is in the file `log`.
class ChildProcessTest : public testing::Test {
 protected:
  ChildCommand shell(const std::string& lines) const {
    return {.words = {"/bin/sh", "-c", lines},
            .environment = {},
            .cores = {},
            .folder = folder_.path(),
            .log = folder_ / "log"};
  }
  std::string log() const { return read_whole_file(folder_ / "log", 1 << 20); }
  std::string output_of(const ChildCommand& command) const {
    fs::remove(folder_ / "log");
    EXPECT_TRUE(ChildProcess(command).wait().succeeded()) << log();
    return log();
  }
  /// Returns a named pipe: opening it waits for the other side, so that neither has to sleep.
  fs::path make_pipe(const std::string& name) const {
    EXPECT_EQ(mkfifo((folder_ / name).c_str(), 0600), 0);
    return folder_ / name;
  }
  std::string failure_of(const ChildCommand& command) const {
    try {
      const ChildProcess child(command);
    } catch (const SystemError& error) {
      return error.what();
    }
    return "it was started";
  }

  TemporaryFolder folder_;
};

std::size_t open_files() {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

bool has_children() {
  return !(waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD);
}

TEST_F(ChildProcessTest, ReportsExitCodes) {
  for (const int code : {0, 1, 2, 255}) {
    ChildProcess child(shell(concat("exit ", code)));
    const ChildEnd end = child.wait();
    EXPECT_EQ(end.exit_code, code);
    EXPECT_EQ(end.signal, 0);
    EXPECT_EQ(end.succeeded(), code == 0);
    EXPECT_EQ(to_text(end), concat("exit code ", code));
    EXPECT_EQ(child.wait().exit_code, code) << "asked again";
  }
}

TEST_F(ChildProcessTest, ReportsTheSignalThatEndedIt) {
  const ChildEnd end = ChildProcess(shell("kill -9 $$")).wait();
  EXPECT_EQ(end.signal, SIGKILL);
  EXPECT_FALSE(end.succeeded());
  EXPECT_EQ(to_text(end), "signal 9 (Killed)");
}

TEST_F(ChildProcessTest, PollingFindsNoEndWhileItRuns) {
  const fs::path gate = make_pipe("gate");
  ChildProcess child(shell("read word <gate; exit $word"));
  EXPECT_FALSE(child.poll());
  std::ofstream(gate) << "7\n";
  EXPECT_EQ(child.wait().exit_code, 7);
  ASSERT_TRUE(child.poll());
  EXPECT_EQ(child.poll()->exit_code, 7);
}

TEST_F(ChildProcessTest, AppendsOutputAndErrorsToTheLog) {
  output_of(shell("echo one; echo two >&2"));
  ASSERT_TRUE(ChildProcess(shell("echo three")).wait().succeeded());
  EXPECT_EQ(log(), "one\ntwo\nthree\n");
}

TEST_F(ChildProcessTest, RunsInItsFolderAndReadsNothing) {
  EXPECT_EQ(output_of(shell("pwd -P; cat; echo end")), concat(fs::canonical(folder_.path()).string(), "\nend\n"));
}

TEST_F(ChildProcessTest, FindsProgramsInPathAndRelativeOnesInItsFolder) {
  std::ofstream(folder_ / "program") << "#!/bin/sh\necho \"mine: $1\"\n";
  fs::permissions(folder_ / "program", fs::perms::owner_all);
  ChildCommand command = shell("");
  command.words = {"./program", "a b"};
  EXPECT_EQ(output_of(command), "mine: a b\n");
  command.words = {"sh", "-c", "echo found"};
  EXPECT_EQ(output_of(command), "found\n");

  // One that may not be executed is passed over.
  const std::string path = std::getenv("PATH");
  fs::create_directory(folder_ / "other");
  std::ofstream(folder_ / "other/program") << "#!/bin/sh\n";
  setenv("PATH",
         concat((folder_ / "none").string(), ":", (folder_ / "other").string(), ":", folder_.path().string(), ":", path)
             .c_str(),
         1);
  command.words = {"program", "c"};
  const std::string found = output_of(command);
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(found, "mine: c\n");
}

TEST_F(ChildProcessTest, SetsAndRemovesVariablesAndKeepsTheOthers) {
  setenv("GAUSSCSE_TEST_KEPT", "kept", 1);
  setenv("GAUSSCSE_TEST_REMOVED", "here", 1);
  setenv("GAUSSCSE_TEST_CHANGED", "old", 1);
  ChildCommand command = shell(
      "echo $GAUSSCSE_TEST_KEPT ${GAUSSCSE_TEST_REMOVED-gone} $GAUSSCSE_TEST_CHANGED $GAUSSCSE_TEST_NEW; "
      "tr '\\0' '\\n' </proc/$$/environ | grep -c GAUSSCSE_TEST_CHANGED");
  command.environment = {
      {"GAUSSCSE_TEST_REMOVED", std::nullopt}, {"GAUSSCSE_TEST_CHANGED", "new"}, {"GAUSSCSE_TEST_NEW", "a=b"}};
  EXPECT_EQ(output_of(command), "kept gone new a=b\n1\n");
  EXPECT_STREQ(std::getenv("GAUSSCSE_TEST_CHANGED"), "old");
}

TEST_F(ChildProcessTest, RunsOnItsCores) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (!CPU_ISSET(static_cast<std::size_t>(core), &allowed)) continue;
    ChildCommand command = shell("grep Cpus_allowed_list: /proc/$$/status");
    command.cores = {core};
    EXPECT_EQ(output_of(command), concat("Cpus_allowed_list:\t", core, "\n"));
  }
}

TEST_F(ChildProcessTest, ToldPeakMemoryIsThatOfTheLargestProcess) {
  const std::uint64_t mib = 1 << 20;
  // The last line of zeros is the one that `tail` keeps in memory.
  const ChildEnd end = ChildProcess(shell("head -c 209715200 /dev/zero | tail -n 1 >/dev/null")).wait();
  EXPECT_GT(end.peak_memory_bytes, 190 * mib);
  EXPECT_LT(end.peak_memory_bytes, 600 * mib);
}

TEST_F(ChildProcessTest, RefusalsSayWhat) {
  const std::size_t files = open_files();
  ChildCommand command = shell("exit 0");
  command.words[0] = "no-such-program";
  EXPECT_EQ(failure_of(command), "no-such-program cannot be started: No such file or directory (in no folder of PATH)");
  command.words[0] = "/no/such/program";
  EXPECT_EQ(failure_of(command), "/no/such/program cannot be started: No such file or directory");
  command.words[0] = "/dev/null";
  EXPECT_EQ(failure_of(command), "/dev/null cannot be started: Permission denied");
  command = shell("exit 0");
  command.folder = folder_ / "none";
  EXPECT_EQ(failure_of(command), concat("/bin/sh cannot be started: No such file or directory (in the folder ",
                                        (folder_ / "none").string(), ")"));
  command = shell("exit 0");
  command.log = folder_ / "none/log";
  EXPECT_THROW(ChildProcess child(command), WriteError);
  EXPECT_TRUE(says(failure_of(command), (folder_ / "none/log").string()));
  EXPECT_FALSE(has_children());
  EXPECT_EQ(open_files(), files);
}

/// Others may write to the log's folder.
TEST_F(ChildProcessTest, WritesToNoLogThroughALinkOrAPipe) {
  std::ofstream(folder_ / "mine") << "mine";
  fs::create_symlink(folder_ / "mine", folder_ / "log");
  EXPECT_TRUE(says(failure_of(shell("echo told")), "log: the log cannot be opened: Too many levels of symbolic links"));
  EXPECT_EQ(read_whole_file(folder_ / "mine", 100), "mine");
  fs::remove(folder_ / "log");
  make_pipe("log");
  EXPECT_TRUE(says(failure_of(shell("echo told")), "log: the log cannot be opened: No such device or address"))
      << "nobody reads it";
  const FileDescriptor reader(open((folder_ / "log").c_str(), O_RDONLY | O_NONBLOCK));
  EXPECT_TRUE(says(failure_of(shell("echo told")), "log: the log cannot be opened: it is no regular file"));
}

TEST_F(ChildProcessTest, LeavesNoFileOpenAndNoProcess) {
  const std::size_t files = open_files();
  // Another one's: of a kind that a program would get without more ado.
  const FileDescriptor other(open("/dev/null", O_RDONLY));
  const std::string lines = concat("[ -e /proc/$$/fd/", other.get(), " ] && echo inherited; ls /proc/$$/fd");
  EXPECT_EQ(output_of(shell(lines)), "0\n1\n2\n");
  { const ChildProcess running(shell("read word <log")); }
  EXPECT_EQ(open_files(), files + 1);
  EXPECT_FALSE(has_children());
}

/// As under a program that blocks and ignores signals.
TEST_F(ChildProcessTest, StartsWithSignalsAsAProgramExpectsThem) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto pipes = std::signal(SIGPIPE, SIG_IGN);
  const auto sizes = std::signal(SIGXFSZ, SIG_IGN);
  const auto children = std::signal(SIGCHLD, SIG_IGN);
  const auto hangups = std::signal(SIGHUP, SIG_IGN);
  const std::string notes = output_of(shell("exec grep -E 'SigBlk|SigIgn' /proc/self/status"));
  sigset_t after;
  pthread_sigmask(SIG_SETMASK, &before, &after);
  std::signal(SIGPIPE, pipes);
  std::signal(SIGXFSZ, sizes);
  std::signal(SIGCHLD, children);
  std::signal(SIGHUP, hangups);
  EXPECT_EQ(notes, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000001\n");
  EXPECT_TRUE(sigismember(&after, SIGTERM)) << "this process's own are as they were";
  EXPECT_FALSE(sigismember(&after, SIGUSR1));
}

TEST_F(ChildProcessTest, SignalsReachTheProcessAloneOrItsGroup) {
  const fs::path notes = make_pipe("notes");
  const auto traps = [](const std::string& who) {
    return concat("trap 'echo ", who, " 1 >&9' USR1; trap 'echo ", who, " 2 >&9' USR2; ");
  };
  std::ofstream(folder_ / "inner") << traps("inner") << "echo up >&9; while :; do :; done";
  ChildProcess child(shell(concat("exec 9>notes; ", traps("outer"), "sh inner & while :; do :; done")));
  std::ifstream file(notes);
  const auto next = [&] {
    std::string line;
    std::getline(file, line);
    return line;
  };
  EXPECT_EQ(next(), "up");
  EXPECT_EQ(getpgid(child.id()), child.id());
  child.send(SIGUSR1);
  EXPECT_EQ(next(), "outer 1");
  child.send_to_group(SIGUSR2);
  EXPECT_EQ((std::set<std::string>{next(), next()}), (std::set<std::string>{"inner 2", "outer 2"}));
  child.send(SIGKILL);
  EXPECT_EQ(child.wait().signal, SIGKILL);
  child.send(SIGKILL);  // to nobody
}

/// As a daemon has it: files that are opened then take the numbers of the standard files.
TEST_F(ChildProcessTest, NeedsNoStandardInputOfItsOwn) {
  const FileDescriptor kept(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  close(STDIN_FILENO);
  ChildCommand command = shell("cat; echo told");
  const ChildEnd end = ChildProcess(command).wait();
  command.folder = folder_ / "none";
  const std::string failure = failure_of(command);
  if (kept.get() >= 0) dup2(kept.get(), STDIN_FILENO);
  EXPECT_TRUE(end.succeeded());
  EXPECT_EQ(log(), "told\n");
  EXPECT_TRUE(says(failure, "in the folder"));
}

/// Descendants hold the pipe open that this process reads: the end of the file is the end of all.
TEST_F(ChildProcessTest, TheDestructorKillsTheWholeGroup) {
  const fs::path held = make_pipe("held");
  std::ifstream file;
  {
    const ChildProcess child(shell("exec 9>held; sh -c 'echo up >&9; while :; do :; done' & wait"));
    file.open(held);
    std::string line;
    std::getline(file, line);
    ASSERT_EQ(line, "up");
  }
  std::string rest;
  EXPECT_FALSE(std::getline(file, rest));
  EXPECT_FALSE(has_children());
}

TEST_F(ChildProcessTest, WhatIsLeftOfTheGroupAtItsEndIsKilled) {
  const fs::path held = make_pipe("held");
  ChildProcess child(shell("exec 9>held; sh -c 'echo up >&9; while :; do :; done' & read word <gate"));
  std::ifstream file(held);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "up");
  EXPECT_NE(child.wait().exit_code, 0) << "there is no gate";
  EXPECT_FALSE(std::getline(file, line));
}

/// A worker in between that is killed: its child holds the pipe open until it gets SIGTERM.
TEST_F(ChildProcessTest, IsSignalledWhenItsParentDies) {
  const fs::path held = make_pipe("held");
  const pid_t worker = fork();
  if (worker == 0) {
    const ChildProcess child(shell("trap 'echo told >&9; exit' TERM; exec 9>held; echo up >&9; while :; do :; done"));
    pause();
    _exit(1);
  }
  std::ifstream file(held);
  std::string line;
  std::getline(file, line);
  ASSERT_EQ(line, "up");
  kill(worker, SIGKILL);
  EXPECT_TRUE(std::getline(file, line));
  EXPECT_EQ(line, "told");
  EXPECT_FALSE(std::getline(file, line));
  waitpid(worker, nullptr, 0);
}

}  // namespace
}  // namespace gausscse
