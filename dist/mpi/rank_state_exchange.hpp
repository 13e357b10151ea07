#pragma once

#include <deque>
#include <optional>
#include <string>

#include "dist/mpi/communicator_handle.hpp"
#include "dist/mpi/rank_state.hpp"

namespace gausscse::detail {

/// Prints a text on standard error at once, as the process may be killed next.
void print_error(const std::string& text);

/// Messages by which the watchdogs of all ranks ask each other where they are, next to the collectives of the training.
///
///     rank 2 waits too long       the other ranks
///     question  ------------->    each answers with its state, from its watchdog's thread
///     ask returns the states
///     end       ------------->    each answers, and prints its state on standard error
///
/// A rank that was stopped or died does not answer, and nobody waits for it longer than two seconds.
class RankStateExchange {
 public:
  /// Takes messages that no other code of the program sees. Collective.
  RankStateExchange();

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Returns whether MPI lets a thread send while another is in a collective. If not, the others are not to be called.
  bool can_ask() const { return can_ask_; }

  /// Answers the ranks that have asked where this one is, at `state`. Where one of them is about to end the job, it
  /// prints the state, too.
  void answer(const RankState& state);

  /// Asks all other ranks for their states, and returns the answers that come in time. It answers their questions
  /// meanwhile.
  RankStates ask(const RankState& state);

  /// Sends this rank's state to the others before it ends the job.
  void announce_end(const RankState& state);

 private:
  std::optional<int> receive(int tag, RankState* state);
  void send(const RankState& state, int rank, int tag);
  RankStates exchange(const RankState& state, int tag);

  CommunicatorHandle world_;
  int rank_, size_;
  bool can_ask_ = false;
  std::deque<RankStateMessage> sent_;  ///< a deque, so that none moves while it is sent
};

}  // namespace gausscse::detail
