#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

#include "base/process.hpp"
#include "experiments/worker/stop_requests.hpp"

namespace gausscse {

namespace {

// Handlers run on any thread; lock-free atomics are allowed in them.
std::atomic<int> stops_asked = 0;
std::atomic<int> first_stop = 0;
std::atomic<std::int64_t> first_stop_second = 0;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<std::int64_t>::is_always_lock_free);

/// Returns whether a signal comes again for the same reason. A shell repeats the terminal's hangup, each line that
/// nobody reads raises SIGPIPE, and each second over the limit of processor time SIGXCPU.
constexpr bool repeats_itself(int number) {
  return number == SIGHUP || number == SIGPIPE || number == SIGXCPU;
}

/// Schedulers, and `timeout`, send one wish to a process and to its group: signals within two seconds are one.
constexpr std::int64_t seconds_of_one_wish = 2;

extern "C" void count_stop(int number) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  int none = 0;
  if (first_stop.compare_exchange_strong(none, number)) {
    first_stop_second = now.tv_sec;
    stops_asked = 1;
  } else if (!repeats_itself(number) && now.tv_sec - first_stop_second >= seconds_of_one_wish) {
    stops_asked = 2;
  }
}

/// Installs the handler without SA_RESTART: a pause of the worker ends.
void handle_stops(void (*handler)(int)) {
  handle_signal(SIGUSR1, handler, 0);
  for (const int number : stop_signals) handle_signal(number, handler, 0);
}

}  // namespace

StopSignals::StopSignals() {
  stops_asked = 0;
  first_stop = 0;
  handle_stops(count_stop);
}

StopSignals::~StopSignals() {
  handle_stops(SIG_DFL);
}

int StopSignals::count() const {
  return stops_asked;
}

int StopSignals::signal() const {
  return first_stop;
}

}  // namespace gausscse
