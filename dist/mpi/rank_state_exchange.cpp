#include "dist/mpi/rank_state_exchange.hpp"

#include <chrono>
#include <cstdio>
#include <thread>

namespace gausscse::detail {

namespace {

/// Time that the other ranks have to answer.
constexpr auto answer_time = std::chrono::seconds(2);
/// Time between looks for their answers.
constexpr auto look_interval = std::chrono::milliseconds(25);

/// The last is sent by a rank that is about to end the job.
enum Tag { question_tag = 1, answer_tag = 2, end_tag = 3 };

}  // namespace

void print_error(const std::string& text) {
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

RankStateExchange::RankStateExchange()
    : world_(CommunicatorHandle::of_all_ranks()), rank_(world_.rank()), size_(world_.size()) {
  int level = 0;
  GAUSSCSE_MPI_CHECK(MPI_Query_thread(&level));
  can_ask_ = level == MPI_THREAD_MULTIPLE;
}

void RankStateExchange::answer(const RankState& state) {
  while (const std::optional<int> asking = receive(question_tag, nullptr)) send(state, *asking, answer_tag);
  while (const std::optional<int> ending = receive(end_tag, nullptr)) {
    print_error(concat("gausscse: rank ", rank_, " ", to_string(state), "\n"));
    send(state, *ending, answer_tag);
  }
}

RankStates RankStateExchange::ask(const RankState& state) {
  return exchange(state, question_tag);
}

void RankStateExchange::announce_end(const RankState& state) {
  exchange(state, end_tag);
}

/// Takes one message with this tag, if there is one, and returns its sender.
std::optional<int> RankStateExchange::receive(int tag, RankState* state) {
  int there = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, tag, world_.get(), &there, &status) != MPI_SUCCESS || !there) return std::nullopt;
  RankStateMessage message{};
  MPI_Recv(message.data(), static_cast<int>(message.size()), MPI_INT64_T, status.MPI_SOURCE, tag, world_.get(),
           &status);
  if (state) *state = decode(message);
  return status.MPI_SOURCE;
}

void RankStateExchange::send(const RankState& state, int rank, int tag) {
  // A few bytes go out at once, whether the receiver still runs or not; the request is never waited for.
  sent_.push_back(encode(state));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(sent_.back().data(), static_cast<int>(sent_.back().size()), MPI_INT64_T, rank, tag, world_.get(), &request);
  if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

/// Sends all other ranks the question, or the end, and returns their answers.
RankStates RankStateExchange::exchange(const RankState& state, int tag) {
  for (int rank = 0; rank < size_; ++rank)
    if (rank != rank_) send(state, rank, tag);
  RankStates answers;
  const auto end = std::chrono::steady_clock::now() + answer_time;
  while (std::chrono::steady_clock::now() < end && static_cast<int>(answers.size()) + 1 < size_) {
    RankState other;
    answer(state);
    if (const auto rank = receive(answer_tag, &other))
      answers[*rank] = other;
    else
      std::this_thread::sleep_for(look_interval);
  }
  return answers;
}

}  // namespace gausscse::detail
