#include "tests/experiments/simulation/simulated_host.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>

#include "base/error.hpp"

namespace gausscse {

namespace fs = std::filesystem;

void SimulatedMachine::forget(const Node& folder) {
  lists.erase(folder.number);
  const auto begin = known.lower_bound({folder.number, {}}), end = known.lower_bound({folder.number + 1, {}});
  known.erase(begin, end);
}

SimulatedHost::SimulatedHost(SimulatedSystem& system, SimulatedMachine& machine, NodePtr working_folder)
    : system_(system),
      machine_(machine),
      working_folder_(std::move(working_folder)),
      start_(static_cast<std::uint64_t>(system.fibers.now() * 100) + 1) {
  // Few numbers, so that they are used again.
  const auto is_taken = [&](std::int64_t number) { return start_of_process(number).has_value(); };
  do number_ = static_cast<std::int64_t>(2 + system.random.below(4 + 2 * machine.processes.size()));
  while (is_taken(number_));
  machine_.processes.push_back(this);
}

SimulatedHost::~SimulatedHost() {
  *is_dead_ = true;
  std::erase(machine_.processes, this);
}

void SimulatedHost::die() const {
  if (is_dead()) return;
  // The kernel writes what the process has written, or is lost with its host in the middle of it.
  const bool is_lost = system_.random.chance(0.5);
  for (const OpenNode& open : files_) {
    Node& node = *open.node;
    if (!open.is_written || node.writer != &machine_) continue;
    if (is_lost) node.unsynced.resize(system_.random.below(node.unsynced.size() + 1));
    flush(node);
  }
  *is_dead_ = true;
  std::erase(machine_.processes, this);
  system_.on_death(*this);
}

void SimulatedHost::die_with_host() const {
  const auto processes = machine_.processes;
  for (const SimulatedHost* process : processes) process->die();
  machine_.lists.clear();
  machine_.known.clear();
  machine_.boot.back() = static_cast<char>(machine_.boot.back() + 1);
}

/// Waits, also for the end of a pause of the process or its host.
void SimulatedHost::wait(double seconds) const {
  system_.fibers.pause(seconds);
  for (double end; (end = std::max(paused_until_, machine_.paused_until)) > system_.fibers.now();)
    system_.fibers.pause(end - system_.fibers.now());
  if (is_dead()) throw Killed();
}

/// Begins a call. Returns false where a dead process unwinds its stack: nothing is done then.
bool SimulatedHost::begin_call(const char* call, const fs::path& path) const {
  SeededRandom& random = system_.random;
  const Faults& faults = system_.faults;
  if (is_dead() && std::uncaught_exceptions() > 0) return false;
  if (is_dead()) throw Killed();
  double seconds = -faults.latency * std::log(1 - random.unit());
  if (random.chance(faults.death)) {
    random.chance(0.2) ? die_with_host() : die();
    throw Killed();
  }
  if (random.chance(faults.pause)) {
    const double pause = random.unit() * faults.longest_pause, until = system_.fibers.now() + pause;
    switch (random.below(4)) {
      case 0:
        paused_until_ = until;
        break;
      case 1:
        machine_.paused_until = until;
        // The clock of a host that is suspended may stand still.
        if (random.chance(0.5)) machine_.clock_offset -= pause * machine_.clock_rate;
        break;
      default:
        seconds += pause;
    }
  }
  wait(seconds);
  system_.disk.now = system_.fibers.now();
  system_.caller = this;
  if (system_.is_traced)
    std::printf("%10.3f %s/%ld %s %s\n", system_.disk.now, machine_.name.c_str(), static_cast<long>(number_), call,
                path.c_str());
  return true;
}

int SimulatedHost::fail_call(int error) const {
  errno = error;
  return -1;
}

/// Returns one of these errors, or mostly 0.
int SimulatedHost::random_error(std::initializer_list<int> errors) const {
  SeededRandom& random = system_.random;
  return random.chance(system_.faults.error) ? errors.begin()[random.below(errors.size())] : 0;
}

void SimulatedHost::sleep(std::chrono::milliseconds time) const {
  if (is_dead()) throw Killed();
  wait(static_cast<double>(time.count()) / 1000 / machine_.clock_rate);
}

std::chrono::steady_clock::time_point SimulatedHost::now() const {
  const std::chrono::duration<double> seconds(machine_.clock_offset + machine_.clock_rate * system_.fibers.now());
  return std::chrono::steady_clock::time_point(
      std::chrono::duration_cast<std::chrono::steady_clock::duration>(seconds));
}

std::unique_lock<std::mutex> SimulatedHost::lock(std::mutex& mutex) const {
  std::unique_lock held(mutex, std::try_to_lock);
  for (double seconds = 0.001; !held; seconds = std::min(2 * seconds, 0.1)) {
    wait(seconds);
    static_cast<void>(held.try_lock());
  }
  return held;
}

std::unique_ptr<Child> SimulatedHost::start(const ChildCommand& command) const {
  if (!begin_call("start", command.folder)) throw SystemError("the process is dead");
  if (random_error({EAGAIN}) != 0) throw SystemError("no process can be made");
  return system_.start_program(*this, command);
}

std::optional<std::uint64_t> SimulatedHost::start_of_process(std::int64_t number) const {
  for (const SimulatedHost* process : machine_.processes)
    if (process->number_ == number) return process->start_;
  return std::nullopt;
}

bool SimulatedHost::process_has_ended(std::int64_t number, std::uint64_t start) const {
  return start_of_process(number) != start;
}

namespace {

/// A fiber that repeats a function of a process.
class RepeatingFiber : public Repetition {
 public:
  RepeatingFiber(Fibers& fibers, std::function<void()> body)
      : fibers_(fibers), number_(fibers.start(std::move(body))) {}
  ~RepeatingFiber() override { fibers_.kill(number_); }

 private:
  Fibers& fibers_;
  std::size_t number_;
};

}  // namespace

std::unique_ptr<Repetition> SimulatedHost::repeat(std::chrono::milliseconds period,
                                                  std::function<void()> function) const {
  return std::make_unique<RepeatingFiber>(system_.fibers, [this, period, function = std::move(function)] {
    while (true) {
      sleep(period);
      function();
    }
  });
}

}  // namespace gausscse
