#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <csignal>

#include "base/file_calls.hpp"
#include "base/philox.hpp"
#include "tests/experiments/worker/fake_train.hpp"
#include "tests/experiments/worker/small_study.hpp"
#include "tests/experiments/worker/worker_processes.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/testing.hpp"

// Eight workers on one results folder, half of them with clocks that are an hour ahead or behind. Workers and trials
// are killed, and workers put to sleep for longer than their leases, at random: each trial must be committed once.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t worker_count = 8;
constexpr std::size_t trial_count = 500;
constexpr std::size_t kills = 100;
constexpr std::size_t sleeps = 8;
constexpr const char* lease = "2";
constexpr const char* libfaketime = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";

/// Seed of the kills and their times; tests/attacks/attack.sh repeats the test with other ones.
std::uint64_t seed_of_attack() {
  const char* const given = std::getenv("GAUSSCSE_ATTACK_SEED");
  return given ? std::stoull(given) : 11;
}

/// The kernel's list of files that are renamed to names in a folder, and of files that go from there.
class CommitLedger {
 public:
  explicit CommitLedger(const fs::path& folder) : file_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    if (::inotify_add_watch(file_.get(), folder.c_str(), IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CREATE) < 0)
      throw std::runtime_error("no inotify");
  }

  /// Waits for news, but not long.
  void read() {
    pollfd news{file_.get(), POLLIN, 0};
    ::poll(&news, 1, 20);
    alignas(inotify_event) char buffer[64 << 10];
    for (ssize_t size; (size = ::read(file_.get(), buffer, sizeof buffer)) > 0;)
      for (ssize_t place = 0; place < size;) {
        const auto* event = reinterpret_cast<const inotify_event*>(buffer + place);
        if (event->mask & IN_MOVED_TO)
          ++commits_[event->name];
        else
          ++others_;
        place += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
      }
  }

  const std::map<std::string, int>& commits() const { return commits_; }
  int others() const { return others_; }

 private:
  FileDescriptor file_;
  std::map<std::string, int> commits_;
  int others_ = 0;
};

/// Removes the shared memory of libfaketime, which stays where its process is killed.
void remove_clocks_of(const WorkerProcesses& workers) {
  for (const pid_t id : workers.ids())
    for (const char* name : {"faketime_shm_", "sem.faketime_sem_"}) ::unlink(concat("/dev/shm/", name, id).c_str());
}

/// Returns a trial's process that runs now, of those that began last; nothing where none does.
std::optional<pid_t> running_trial(const SmallStudy& study, PhiloxStream& random) {
  std::vector<pid_t> running;
  std::ifstream ledger(study.ledger());
  ledger.seekg(0, std::ios::end);
  ledger.seekg(std::max<std::streamoff>(0, ledger.tellg() - std::streamoff{600}));
  for (std::string line; std::getline(ledger, line);) {
    const pid_t id = std::atoi(line.substr(line.rfind(' ') + 1).c_str());
    std::string name;
    std::ifstream("/proc/" + std::to_string(id) + "/comm") >> name;
    if (name == "fake_train") running.push_back(id);
  }
  if (running.empty()) return std::nullopt;
  return running[random.below(static_cast<std::uint32_t>(running.size()))];
}

/// Files of a memory's file system are as quick as a test of 500 trials wants.
fs::path quick_folder() {
  return ::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : fs::temp_directory_path();
}

class KilledWorkers : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::int64_t> seeds(trial_count);
    for (std::size_t i = 0; i < seeds.size(); ++i) seeds[i] = static_cast<std::int64_t>(1000 + i);
    study.write_manifest(seeds);
    fs::create_directories(study.results() / "trials");
    ::setenv(fake_train_milliseconds, "30", 1);
  }

  /// Returns the command of a small_worker; every second one has another clock.
  ChildCommand worker(std::size_t number, bool retries = false) const {
    ChildCommand command{.words = {GAUSSCSE_SMALL_WORKER, study.manifest().string(), study.results().string(),
                                   GAUSSCSE_FAKE_TRAIN, lease},
                         .environment = {},
                         .cores = {},
                         .folder = {},
                         .log = place / "log"};
    if (retries) command.words.push_back("retry");
    if (number % 2 == 1)
      command.environment = {{"LD_PRELOAD", libfaketime}, {"FAKETIME", number % 4 == 1 ? "+1h" : "-1h"}};
    return command;
  }
  /// Runs a single one, which tries failed trials again.
  ChildEnd retry() const { return ChildProcess(worker(0, true)).wait(); }

  /// Kills and puts to sleep, one after every few commits.
  void disturb(CommitLedger& ledger, WorkerProcesses& workers) {
    PhiloxStream random(seed_of_attack(), 3);
    std::size_t killed = 0, slept = 0, woken_at = 0;
    const auto any_worker = [&] { return std::size_t{random.below(static_cast<std::uint32_t>(worker_count))}; };
    for (std::size_t idle = 0; workers.run();) {
      const std::size_t before = ledger.commits().size();
      ledger.read();
      const std::size_t committed = ledger.commits().size();
      // All that could go on may be asleep.
      idle = committed == before ? idle + 1 : 0;
      if (idle > 300 || committed >= woken_at + 60) {
        workers.wake_all();
        woken_at = committed;
      }
      if (slept < sleeps && committed >= (slept + 1) * 50) {
        workers.put_to_sleep(any_worker());
        ++slept;
      }
      if (killed < kills && committed >= killed * 4) {
        if (killed % 2 == 0) {
          workers.kill(any_worker());
          ++killed;
        } else if (const auto trial = running_trial(study, random)) {
          ::kill(-*trial, SIGKILL);
          ++killed;
        }
      }
    }
    EXPECT_EQ(killed, kills);
    count_disturbance("SIGKILL to workers of a study and to their trials", killed);
    count_disturbance("SIGSTOP to workers of a study, for longer than their leases", slept);
  }

  TemporaryFolder folder{};
  fs::path place = quick_folder() / folder.path().filename();
  SmallStudy study{place};

  void TearDown() override { fs::remove_all(place); }
};

TEST_F(KilledWorkers, CommitEveryTrialOnce) {
  if (!fs::exists(libfaketime)) GTEST_SKIP() << "no " << libfaketime << ": install the package faketime";
  CommitLedger ledger(study.results() / "trials");
  WorkerProcesses workers(worker_count, [&](std::size_t number) { return worker(number); });
  disturb(ledger, workers);
  remove_clocks_of(workers);
  for (int i = 0; i < 3 && !study.seeds(TrialStatus::failed).empty(); ++i) retry();
  EXPECT_TRUE(retry().succeeded()) << "all are done: " << read_whole_file(place / "log", 1 << 24);
  ledger.read();

  EXPECT_EQ(ledger.commits().size(), trial_count);
  for (const auto& [identity, times] : ledger.commits()) EXPECT_EQ(times, 1) << identity;
  EXPECT_EQ(ledger.others(), 0) << "nothing is made in place, and nothing ever goes";
  EXPECT_EQ(study.seeds(TrialStatus::done).size(), trial_count);
  for (const char* empty : {"claims", "unfinished", "failed", "set_aside"})
    EXPECT_EQ(sorted_names_in(study.results() / empty), std::vector<std::string>{}) << empty;
  for (const StudyTrial& trial : read_study(study.results()).trials)
    EXPECT_EQ(trial.run->result_bytes, fs::file_size(trial.folder / "result.h5"));
}

}  // namespace
}  // namespace gausscse
