#include "tests/experiments/worker/fake_train.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file_lock.hpp"
#include "base/process.hpp"
#include "config/trial/trial.hpp"
#include "config/trial/trial_identity.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"
#include "results/training_reports.hpp"

// Program that a worker starts in place of `gausscse train`: called like it, it locks its folder, goes on from a
// checkpoint, reacts to SIGUSR2 and leaves a result like it, in milliseconds. The trial's seed decides its behaviour.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
volatile std::sig_atomic_t stop_was_asked = 0;

extern "C" void stop_when_asked(int) {
  stop_was_asked = 1;
}

/// A line in one piece.
void note(const char* what, const Trial& trial) {
  const char* ledger = std::getenv(fake_train_ledger);
  if (!ledger) return;
  const FileDescriptor file(::open(ledger, O_WRONLY | O_CREAT | O_APPEND, 0666));
  const std::string line = concat(what, " ", trial.training.seed, " ", ::getpid(), "\n");
  if (::write(file.get(), line.data(), line.size()) < 0) std::abort();
}

/// Returns the inputs of a trial with their present hashes.
std::vector<std::pair<std::string, std::string>> read_inputs(const Trial& trial) {
  std::vector<std::pair<std::string, std::string>> hashes;
  for (const InputContent& input : contents_of_inputs(trial, content_hash_with({})))
    hashes.emplace_back(input.role, input.hash);
  note("read", trial);
  return hashes;
}

RunResult result_of(const Trial& trial, bool resumed) {
  Measurement dev{"dev", "nli", true, {{"auprc", fake_auprc(trial)}, {"resumed", resumed ? 1.0 : 0.0, Unit::count}},
                  {},    ""};
  RunResult result;
  result.configuration = to_yaml(trial);
  result.provenance.ranks = 1;
  result.provenance.threads = 1;
  result.training = {{0, 1, 2, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}, {1, 1, 1, 1}, {128, 128, 64, 32}, {1, 1, 1, 1}};
  // On a GPU it takes 60 % of the memory.
  if (const char* gpus = std::getenv("CUDA_VISIBLE_DEVICES"); gpus && *gpus) {
    result.provenance.gpu_memory_taken = 60;
    result.provenance.gpu_memory = 100;
  }
  if (trial.select.patience > 0) result.ended_early = concat("after step ", trial.select.patience, " of 9: why");
  result.states = {{"last", trial.training.seed == seed_that_stays_untrained ? 0 : 4, {dev}}};
  return result;
}

[[noreturn]] void stop(const fs::path& checkpoint) {
  write_file_atomically(checkpoint, "stopped");
  std::fprintf(stderr, "stopped, with a checkpoint\n");
  std::exit(128 + SIGUSR2);
}

[[noreturn]] void refuse(const char* message, ErrorKind kind = ErrorKind::input) {
  std::fprintf(stderr, "reading\ngausscse: error: %s\n", message);
  write_error_report("error.json", {kind, message});
  std::exit(2);
}

void behave(const Trial& trial, const fs::path& checkpoint, bool resumed) {
  switch (trial.training.seed) {
    case seed_of_bad_trial:
      refuse("this seed is refused");
    case seed_of_full_disk:
      refuse("cannot write result.h5: write: No space left on device", ErrorKind::write);
    case seed_of_full_disk_once:
      if (resumed) break;
      write_file_atomically(checkpoint, "half");
      refuse("cannot write result.h5: write: No space left on device", ErrorKind::write);
    case seed_that_is_killed:
      std::raise(SIGKILL);
      break;
    case seed_of_crash:
      std::raise(SIGSEGV);
      break;
    case seed_of_no_result:
      std::exit(0);
    case seed_that_fails_once:
      if (resumed) break;
      write_file_atomically(checkpoint, "failed");
      refuse("this seed is refused once");
    case seed_that_waits:
      note("waits", trial);
      while (!stop_was_asked) ::poll(nullptr, 0, 60'000);
      stop(checkpoint);
    case seed_that_waits_once:
      if (resumed) break;
      note("waits", trial);
      while (!stop_was_asked) ::poll(nullptr, 0, 60'000);
      stop(checkpoint);
    case seed_deaf_to_requests:
      note("waits", trial);
      while (true) ::poll(nullptr, 0, 60'000);
    default:
      break;
  }
  const char* milliseconds = std::getenv(fake_train_milliseconds);
  if (!milliseconds) return;
  ::poll(nullptr, 0, std::atoi(milliseconds) / 2);
  write_file_atomically(checkpoint, "half");
  ::poll(nullptr, 0, std::atoi(milliseconds) / 2);
}

int train(const fs::path& trial_file, const fs::path& report) {
  std::signal(SIGUSR2, stop_when_asked);
  const Trial trial = read_trial(trial_file);
  note("begins", trial);
  if (const char* memory = std::getenv("PYTORCH_ALLOC_CONF")) note(memory, trial);
  const FileLock lock(trial.output / ".gausscse.lock");
  const auto inputs = read_inputs(trial);
  if (const char* gate = std::getenv(fake_train_gate)) FileDescriptor(::open(gate, O_RDONLY));
  const fs::path checkpoint = trial.output / "checkpoint";
  const bool resumed = fs::exists(checkpoint);
  write_progress("progress.json", {});
  if (fs::exists(trial.output / "result.h5")) {
    write_file_atomically(report, json_report(kept_state(read_result(trial.output / "result.h5"))));
    return 0;
  }
  behave(trial, checkpoint, resumed);
  if (stop_was_asked) stop(checkpoint);
  const std::int64_t steps = trial.training.max_steps > 0 ? trial.training.max_steps : fake_steps;
  write_progress("progress.json", {.phase = TrainingPhase::finishing, .step = steps, .total_steps = steps});
  AtomicFolder model(trial.output / "model");
  model.add_file("weights", "1234567890");
  model.commit(AtomicFolder::Existing::replace);
  if (trial.training.seed == seed_with_a_users_file)
    write_file_atomically(trial.output / "model" / "mine.txt", "my own");
  RunResult result = result_of(trial, resumed);
  result.provenance.input_hashes = inputs;
  write_result(trial.output / "result.h5", result);
  write_file_atomically(report, json_report(kept_state(result)));
  std::fprintf(stderr, "the result is in %s\n", trial.output.c_str());
  while (trial.training.seed == seed_that_hangs_at_its_end) ::poll(nullptr, 0, 60'000);
  return 0;
}

}  // namespace
}  // namespace gausscse

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::vector<std::string> expected{"--threads",   "1",          "train",         "trial.yaml", "--json",
                                          "report.json", "--progress", "progress.json", "--failure",  "error.json"};
  if (words != expected) {
    std::fprintf(stderr, "gausscse: error: not called as gausscse train\n");
    return 2;
  }
  try {
    return gausscse::train("trial.yaml", "report.json");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gausscse: error: %s\n", error.what());
    return 2;
  }
}
