#include "dist/mpi/watchdog.hpp"

#include <mpi.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "dist/mpi/queued_calls.hpp"
#include "dist/mpi/rank_state_exchange.hpp"

namespace gausscse {

namespace {

using detail::RankState;
using detail::RankStates;
using Seconds = std::chrono::duration<double>;

constexpr auto poll_interval = std::chrono::milliseconds(100);
class Watchdog : public CollectiveWatch {
 public:
  explicit Watchdog(double seconds) : limit_(seconds) {
    thread_ = std::thread([this] { watch(); });
  }

  ~Watchdog() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void enter(const CollectiveCall& call) override {
    const std::lock_guard lock(mutex_);
    state_.waiting = true;
    state_.call = call;
    waited_ = {};
  }

  void queued(const QueuedCollective& collective) override {
    const std::lock_guard lock(mutex_);
    queued_.add(state_.call, collective);
  }

  void leave() override {
    const std::lock_guard lock(mutex_);
    state_.waiting = false;
  }

  void set_long_operation(bool slow_work) override {
    const std::lock_guard lock(mutex_);
    state_.slow_work = slow_work;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, poll_interval, [&] { return closing_; })) {
      // Intervals are counted, not the clock read: a job that was suspended and goes on has not waited meanwhile.
      waited_ += poll_interval;
      queued_.add_wait(Seconds(poll_interval).count());
      const std::string failure = drop_what_is_done(lock);
      const RankState state = current_state();
      const bool late = state.waiting && (queued_.empty() ? waited_.count() : queued_.waited()) > limit_;
      lock.unlock();
      if (!failure.empty()) fail(state, failure);
      if (ranks_.can_ask()) ranks_.answer(state);
      if (late) give_up(state);
      lock.lock();
    }
  }

  /// Returns the state of this rank: calls queued on the device come before the host's next steps.
  RankState current_state() const {
    return queued_.empty() ? state_ : RankState{true, state_.slow_work, queued_.oldest()};
  }

  /// Forgets collectives that the device is through with. Returns the error of one that failed, else an empty text.
  std::string drop_what_is_done(std::unique_lock<std::mutex>& lock) {
    while (!queued_.empty()) {
      const QueuedCollective& oldest = queued_.oldest_collective();
      lock.unlock();
      bool done = false;
      std::string failure;
      try {
        done = oldest.is_done();
      } catch (const std::exception& error) {
        failure = error.what();
      }
      lock.lock();
      if (!failure.empty()) return concat(failure, ", in ", to_string(queued_.oldest()));
      if (!done) break;
      queued_.drop_oldest();
    }
    return {};
  }

  /// Returns true if this rank is still in the call of `state`; it begins to wait again for it if `go_on`.
  bool is_still_there(const RankState& state, bool go_on) {
    std::unique_lock lock(mutex_);
    // Nobody else looks meanwhile. A failure now is reported when this ends the job, or at the next look.
    drop_what_is_done(lock);
    const RankState now = current_state();
    if (!now.waiting || !(now.call == state.call)) return false;
    if (go_on) {
      waited_ = {};
      queued_.wait_anew();
    }
    return true;
  }

  /// Ends the job, unless the call ends while the others are asked, or one of them is alive at slow work.
  void give_up(const RankState& state) {
    const std::string late = concat("no progress for ", limit_, " s in ", to_string(state.call));
    std::string others;
    if (ranks_.can_ask()) {
      const RankStates answers = ranks_.ask(state);
      std::vector<int> at_work;
      // Work before the end may take long: rank 0 writes results there.
      const bool at_end = state.call.collective == Collective::end;
      bool first_to_wait = true;
      for (const auto& [rank, other] : answers) {
        if ((other.slow_work || at_end) && !other.waiting) at_work.push_back(rank);
        if (other.waiting && rank < ranks_.rank()) first_to_wait = false;
      }
      if (!is_still_there(state, !at_work.empty())) return;
      if (!at_work.empty()) {
        if (first_to_wait)
          detail::print_error(concat("gausscse: rank ", ranks_.rank(), ": ", late, ", but ", detail::list_of(at_work),
                                     at_end ? " is still at work" : " reads or writes files that others wait for",
                                     ": waiting on\n"));
        return;
      }
      others = detail::story_of_others(ranks_.rank(), ranks_.size(), state.call, answers);
    }
    end_job(state, late, others + "; the job ends (--timeout sets the limit)");
  }

  [[noreturn]] void fail(const RankState& state, const std::string& failure) {
    const std::string others =
        ranks_.can_ask() ? detail::story_of_others(ranks_.rank(), ranks_.size(), state.call, ranks_.ask(state)) : "";
    end_job(state, failure, others + "; the job ends");
  }

  /// Aborts the calls that are queued on the device. The message is printed by now: this may take long, or fail.
  void abort_what_is_queued() {
    std::unique_lock lock(mutex_);
    if (queued_.empty() || !queued_.oldest_collective().abort) return;
    const QueuedCollective& oldest = queued_.oldest_collective();
    lock.unlock();
    try {
      oldest.abort();
    } catch (const std::exception& error) {
      detail::print_error(concat("gausscse: rank ", ranks_.rank(),
                                 ": the queued calls on its device could not be aborted: ", error.what(), "\n"));
    }
  }

  [[noreturn]] void end_job(const RankState& state, const std::string& problem, const std::string& others) {
    detail::print_error(concat("gausscse: error on rank ", ranks_.rank(), ": ", problem, others, "\n"));
    if (ranks_.can_ask()) ranks_.announce_end(state);
    abort_what_is_queued();
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
  }

  double limit_;
  detail::RankStateExchange ranks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  RankState state_;   ///< state of the host
  Seconds waited_{};  ///< since the rank entered the call, or another rank answered that it is at slow work
  detail::QueuedCalls queued_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<CollectiveWatch> make_watchdog(double seconds) {
  return std::make_unique<Watchdog>(seconds);
}

}  // namespace gausscse
