#include "dist/mpi/phase_watch.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gausscse::detail {

namespace {

constexpr auto phase_interval = std::chrono::milliseconds(100);
/// Time in which the other ranks that wait print it as well: the rank without a line is the missing one.
constexpr auto time_to_print = std::chrono::seconds(2);

}  // namespace

std::string no_progress(double seconds, const std::string& text) {
  return concat("gausscse: error on rank ", rank_in_environment().value_or(0), " (", host_name(), "): no progress for ",
                seconds, " s: ", text, "; the job ends (--timeout sets the limit)\n");
}

PhaseWatch::PhaseWatch(double seconds, const std::string& waits_for)
    : limit_(seconds), text_(no_progress(seconds, waits_for)), thread_([this] { watch(); }) {}

PhaseWatch::~PhaseWatch() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PhaseWatch::watch() {
  std::unique_lock lock(mutex_);
  // Intervals are counted and the clock is not read: a job that was suspended and goes on has not waited meanwhile.
  std::chrono::duration<double> waited{};
  while (!changed_.wait_for(lock, phase_interval, [&] { return over_; })) {
    waited += phase_interval;
    if (waited.count() > limit_) end_job();
  }
}

void PhaseWatch::end_job() const {
  std::fputs(text_.c_str(), stderr);
  std::fflush(stderr);
  std::this_thread::sleep_for(time_to_print);
  // The launcher ends the other ranks when it sees a rank go without MPI's end, or with this exit code. MPI_Abort would
  // need an MPI that has started and does not end.
  std::_Exit(1);
}

}  // namespace gausscse::detail
