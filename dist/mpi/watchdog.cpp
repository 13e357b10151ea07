#include "dist/mpi/watchdog.hpp"

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "dist/mpi/check.hpp"
#include "dist/mpi/communicator_handle.hpp"

namespace gausscse {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr auto poll_interval = std::chrono::milliseconds(100);
/// How long the other ranks have to answer.
constexpr auto answer_time = std::chrono::seconds(2);

enum Tag { question_tag = 1, answer_tag = 2 };

/// Where a rank is: in a call, or computing after it.
struct Place {
  bool waiting = false;
  CollectiveCall call;
};

using Message = std::array<std::int64_t, 5>;

Message encode(const Place& place) {
  return {place.waiting ? 1 : 0, static_cast<std::int64_t>(place.call.collective), place.call.elements,
          place.call.number, place.call.step};
}

Place decode(const Message& message) {
  return {message[0] != 0, {static_cast<Collective>(message[1]), message[2], message[3], message[4]}};
}

std::string list_of(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size(); ++i) text += concat(i == 0 ? "" : ", ", ranks[i]);
  return text;
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
    place_ = {true, call};
    waited_ = {};
  }

  void leave() override {
    const std::lock_guard lock(mutex_);
    place_.waiting = false;
  }

 private:
  void watch() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, poll_interval, [&] { return closing_; })) {
      // Intervals are counted, not the clock read: a job that was suspended and goes on has not waited meanwhile.
      waited_ += poll_interval;
      const Place place = place_;
      const bool late = place.waiting && waited_.count() > limit_;
      lock.unlock();
      if (can_ask_) answer_questions(place);
      if (late) give_up(place);
      lock.lock();
    }
  }

  void answer_questions(const Place& place) {
    while (std::optional<int> asking = receive(question_tag, nullptr)) send(place, *asking, answer_tag);
  }

  /// Takes one message with this tag, if there is one; its sender.
  std::optional<int> receive(int tag, Place* place) {
    int there = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, tag, world_.get(), &there, &status) != MPI_SUCCESS || !there) return std::nullopt;
    Message message{};
    MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_INT64_T, status.MPI_SOURCE, tag, world_.get(),
             &status);
    if (place) *place = decode(message);
    return status.MPI_SOURCE;
  }

  void send(const Place& place, int rank, int tag) {
    // A few bytes go out at once, whether the receiver still runs or not; the request is never waited for.
    sent_.push_back(encode(place));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(sent_.back().data(), static_cast<int>(sent_.back().size()), MPI_INT64_T, rank, tag, world_.get(),
              &request);
    if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
  }

  std::map<int, Place> ask_others(const Place& place) {
    for (int rank = 0; rank < size_; ++rank)
      if (rank != rank_) send(place, rank, question_tag);
    std::map<int, Place> answers;
    const auto end = Clock::now() + answer_time;
    while (Clock::now() < end && static_cast<int>(answers.size()) + 1 < size_) {
      Place other;
      answer_questions(place);
      if (const auto rank = receive(answer_tag, &other))
        answers[*rank] = other;
      else
        std::this_thread::sleep_for(poll_interval / 4);
    }
    // Those who ask late must still be answered.
    while (Clock::now() < end) {
      answer_questions(place);
      std::this_thread::sleep_for(poll_interval / 4);
    }
    return answers;
  }

  /// Ends the job, unless the call ends while the others are asked.
  void give_up(const Place& place) {
    std::string text =
        concat("gausscse: error on rank ", rank_, ": no progress for ", limit_, " s in ", to_string(place.call));
    if (can_ask_) text += describe(place, ask_others(place));
    {
      const std::lock_guard lock(mutex_);
      if (!place_.waiting || !(place_.call == place.call)) return;
    }
    text += "; the job ends (--timeout sets the limit)\n";
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
  }

  std::string describe(const Place& own, const std::map<int, Place>& answers) const {
    std::vector<int> silent, computing;
    std::string elsewhere;
    for (int rank = 0; rank < size_; ++rank) {
      if (rank == rank_) continue;
      const auto answer = answers.find(rank);
      if (answer == answers.end()) {
        silent.push_back(rank);
      } else if (!answer->second.waiting) {
        computing.push_back(rank);
      } else if (!(answer->second.call == own.call)) {
        elsewhere += concat("; rank ", rank, " waits in ", to_string(answer->second.call));
      }
    }
    std::string text = elsewhere;
    if (!silent.empty()) text += concat("; missing: ", list_of(silent), " (no sign of life: stopped, dead or cut off)");
    if (!computing.empty()) text += concat("; missing: ", list_of(computing), " (alive, but not in a collective)");
    return text.empty() ? "; all ranks are in it" : text;
  }

  double limit_;
  bool can_ask_ = false;
  detail::CommunicatorHandle world_;
  int rank_, size_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Place place_;
  Seconds waited_{};  ///< since the rank entered the call
  bool closing_ = false;
  std::deque<Message> sent_;  ///< a deque, so that none moves while it is sent
  std::thread thread_;
};

}  // namespace

std::unique_ptr<CollectiveWatch> make_watchdog(double seconds) {
  return std::make_unique<Watchdog>(seconds);
}

}  // namespace gausscse
