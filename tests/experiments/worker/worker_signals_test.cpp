#include <poll.h>

#include <chrono>
#include <csignal>

#include "experiments/processes/child_process.hpp"
#include "experiments/worker/stop_requests.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/small_study.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
/// A worker in its own process, whose only trial waits.
class SignalledWorker {
 public:
  explicit SignalledWorker(std::int64_t seed) {
    study_.write_manifest({seed});
    process_ =
        std::make_unique<ChildProcess>(ChildCommand{.words = {GAUSSCSE_SMALL_WORKER, study_.manifest().string(),
                                                              study_.results().string(), GAUSSCSE_FAKE_TRAIN, "60"},
                                                    .environment = {},
                                                    .cores = {},
                                                    .folder = folder_.path(),
                                                    .log = log()});
    while (study_.noted("waits") == 0 && !process_->poll()) ::poll(nullptr, 0, 5);
  }

  ChildProcess& process() { return *process_; }
  const SmallStudy& study() const { return study_; }
  std::string observer() const { return read_whole_file(log(), 1 << 20); }

 private:
  fs::path log() const { return folder_ / "log"; }

  TemporaryFolder folder_;
  SmallStudy study_{folder_.path()};
  std::unique_ptr<ChildProcess> process_;
};

TEST(WorkerSignals, EachLetsTrialsMakeACheckpoint) {
  for (const int signal : std::array{SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU, SIGPIPE}) {
    SignalledWorker worker(seed_that_waits);
    // Two that come together are one wish, which leaves time for a checkpoint.
    for (int i = 0; i < 2; ++i) worker.process().send(signal);
    EXPECT_EQ(to_text(worker.process().wait()), concat("exit code ", 128 + signal)) << worker.observer();
    EXPECT_TRUE(says(worker.observer(), concat("signal ", signal)));
    ASSERT_EQ(worker.study().seeds(TrialStatus::interrupted), std::vector<std::int64_t>{seed_that_waits});
    EXPECT_TRUE(fs::exists(worker.study().trial(seed_that_waits).folder / "checkpoint"));
    EXPECT_TRUE(sorted_names_in(worker.study().results() / "claims").empty());
  }
}

/// The kernel sends SIGXCPU each second, and each line that nobody reads raises SIGPIPE.
TEST(WorkerSignals, ThatRepeatThemselvesAreOneWish) {
  const StopSignals stop;
  std::raise(SIGPIPE);
  // Behind the time in which all signals are one wish.
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(2100)) ::poll(nullptr, 0, 20);
  for (const int signal : {SIGPIPE, SIGHUP, SIGXCPU}) std::raise(signal);
  EXPECT_EQ(stop.count(), 1);
  EXPECT_EQ(stop.signal(), SIGPIPE);
  std::raise(SIGTERM);
  EXPECT_EQ(stop.count(), 2) << "two seconds after the first";
}

/// As `nohup gausscse run` is started, and then the terminal is closed.
TEST(WorkerSignals, AHangupThatNohupIgnoresIsNone) {
  std::signal(SIGHUP, SIG_IGN);
  {
    const StopSignals stop;
    std::raise(SIGHUP);
    EXPECT_EQ(stop.count(), 0);
  }
  std::raise(SIGHUP);
  std::signal(SIGHUP, SIG_DFL);
}

}  // namespace
}  // namespace gausscse
