#include "dist/mpi/watchdog.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "dist/mpi/communicator_handle.hpp"
#include "dist/mpi/place.hpp"
#include "dist/mpi/queued_calls.hpp"

namespace gausscse {

namespace {

using detail::Place;
using detail::Places;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr auto poll_interval = std::chrono::milliseconds(100);
/// Time that the other ranks have to answer.
constexpr auto answer_time = std::chrono::seconds(2);

/// The last is sent by a rank that is about to end the job.
enum Tag { question_tag = 1, answer_tag = 2, end_tag = 3 };

void tell(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

class Watchdog : public CollectiveWatch {
 public:
  explicit Watchdog(double seconds)
      : limit_(seconds),
        world_(detail::CommunicatorHandle::of_all_ranks()),
        rank_(world_.rank()),
        size_(world_.size()) {
    int level = 0;
    GAUSSCSE_MPI_CHECK(MPI_Query_thread(&level));
    can_ask_ = level == MPI_THREAD_MULTIPLE;
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
    place_.waiting = true;
    place_.call = call;
    waited_ = {};
  }

  void queued(const QueuedCollective& collective) override {
    const std::lock_guard lock(mutex_);
    queued_.add(place_.call, collective);
  }

  void leave() override {
    const std::lock_guard lock(mutex_);
    place_.waiting = false;
  }

  void set_slow_work(bool slow_work) override {
    const std::lock_guard lock(mutex_);
    place_.slow_work = slow_work;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, poll_interval, [&] { return closing_; })) {
      // Intervals are counted, not the clock read: a job that was suspended and goes on has not waited meanwhile.
      waited_ += poll_interval;
      queued_.add_wait(Seconds(poll_interval).count());
      const std::string failure = drop_what_is_done(lock);
      const Place place = current_place();
      const bool late = place.waiting && (queued_.empty() ? waited_.count() : queued_.waited()) > limit_;
      lock.unlock();
      if (!failure.empty()) fail(place, failure);
      if (can_ask_) answer_others(place);
      if (late) give_up(place);
      lock.lock();
    }
  }

  /// Returns where this rank is: what was queued on the device comes before what the host went on to.
  Place current_place() const { return queued_.empty() ? place_ : Place{true, place_.slow_work, queued_.oldest()}; }

  /// Forgets collectives that the device is through with; what it failed with, if it did.
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

  /// Answers the ranks that ask where this rank is; where one is about to end the job, prints the place on standard
  /// error, too.
  void answer_others(const Place& place) {
    while (const std::optional<int> asking = receive(question_tag, nullptr)) send(place, *asking, answer_tag);
    while (const std::optional<int> ending = receive(end_tag, nullptr)) {
      tell(concat("gausscse: rank ", rank_, " ", to_string(place), "\n"));
      send(place, *ending, answer_tag);
    }
  }

  /// Takes one message with this tag, if there is one; its sender.
  std::optional<int> receive(int tag, Place* place) {
    int there = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, tag, world_.get(), &there, &status) != MPI_SUCCESS || !there) return std::nullopt;
    detail::PlaceMessage message{};
    MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_INT64_T, status.MPI_SOURCE, tag, world_.get(),
             &status);
    if (place) *place = detail::decode(message);
    return status.MPI_SOURCE;
  }

  void send(const Place& place, int rank, int tag) {
    // A few bytes go out at once, whether the receiver still runs or not; the request is never waited for.
    sent_.push_back(detail::encode(place));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(sent_.back().data(), static_cast<int>(sent_.back().size()), MPI_INT64_T, rank, tag, world_.get(),
              &request);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }

  /// Sends all others the question, or the end, and takes what they answer in `answer_time`.
  Places ask_others(const Place& place, Tag tag) {
    for (int rank = 0; rank < size_; ++rank)
      if (rank != rank_) send(place, rank, tag);
    Places answers;
    const auto end = Clock::now() + answer_time;
    while (Clock::now() < end && static_cast<int>(answers.size()) + 1 < size_) {
      Place other;
      answer_others(place);
      if (const auto rank = receive(answer_tag, &other))
        answers[*rank] = other;
      else
        std::this_thread::sleep_for(poll_interval / 4);
    }
    return answers;
  }

  /// Returns true if this rank is still in the call of `place`; it begins to wait again for it if `go_on`.
  bool is_still_there(const Place& place, bool go_on) {
    std::unique_lock lock(mutex_);
    // Nobody else looks meanwhile. A failure now is reported when this ends the job, or at the next look.
    drop_what_is_done(lock);
    const Place now = current_place();
    if (!now.waiting || !(now.call == place.call)) return false;
    if (go_on) {
      waited_ = {};
      queued_.wait_anew();
    }
    return true;
  }

  /// Ends the job, unless the call ends while the others are asked, or one of them is alive at slow work.
  void give_up(const Place& place) {
    const std::string late = concat("no progress for ", limit_, " s in ", to_string(place.call));
    std::string others;
    if (can_ask_) {
      const Places answers = ask_others(place, question_tag);
      std::vector<int> at_work;
      // Work before the end may take long: rank 0 writes results there.
      const bool at_end = place.call.collective == Collective::end;
      bool first_to_wait = true;
      for (const auto& [rank, other] : answers) {
        if ((other.slow_work || at_end) && !other.waiting) at_work.push_back(rank);
        if (other.waiting && rank < rank_) first_to_wait = false;
      }
      if (!is_still_there(place, !at_work.empty())) return;
      if (!at_work.empty()) {
        if (first_to_wait)
          tell(concat("gausscse: rank ", rank_, ": ", late, ", but ", detail::list_of(at_work),
                      at_end ? " is still at work" : " reads or writes files that others wait for", ": waiting on\n"));
        return;
      }
      others = detail::story_of_others(rank_, size_, place.call, answers);
    }
    end_job(place, late, others + "; the job ends (--timeout sets the limit)");
  }

  [[noreturn]] void fail(const Place& place, const std::string& failure) {
    end_job(place, failure,
            concat(can_ask_ ? detail::story_of_others(rank_, size_, place.call, ask_others(place, question_tag))
                            : std::string(),
                   "; the job ends"));
  }

  /// Aborts what is queued on the device. The message is printed by now: this may take long, or fail.
  void abort_what_is_queued() {
    std::unique_lock lock(mutex_);
    if (queued_.empty() || !queued_.oldest_collective().abort) return;
    const QueuedCollective& oldest = queued_.oldest_collective();
    lock.unlock();
    try {
      oldest.abort();
    } catch (const std::exception& error) {
      tell(concat("gausscse: rank ", rank_, ": the queued calls on its device could not be aborted: ", error.what(),
                  "\n"));
    }
  }

  [[noreturn]] void end_job(const Place& place, const std::string& problem, const std::string& others) {
    tell(concat("gausscse: error on rank ", rank_, ": ", problem, others, "\n"));
    if (can_ask_) ask_others(place, end_tag);
    abort_what_is_queued();
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
  }

  double limit_;
  bool can_ask_ = false;
  detail::CommunicatorHandle world_;
  int rank_, size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Place place_;       ///< place of the host
  Seconds waited_{};  ///< since the rank entered the call, or another rank answered that it is at slow work
  detail::QueuedCalls queued_;
  bool closing_ = false;
  std::deque<detail::PlaceMessage> sent_;  ///< a deque, so that none moves while it is sent
  std::thread thread_;
};

}  // namespace

std::unique_ptr<CollectiveWatch> make_watchdog(double seconds) {
  return std::make_unique<Watchdog>(seconds);
}

}  // namespace gausscse
