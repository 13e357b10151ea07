#pragma once

#include <deque>
#include <optional>
#include <string>

#include "dist/mpi/communicator_handle.hpp"
#include "dist/mpi/place.hpp"

namespace gausscse::detail {

/// Prints a text on standard error at once, as the process may be killed next.
void print_error(const std::string& text);

/// Messages by which the watchdogs of all ranks ask each other where they are, next to the collectives of the training.
///
///     rank 2 waits too long       the other ranks
///     question  ------------->    each answers with its place, from its watchdog's thread
///     ask returns the places
///     end       ------------->    each answers, and prints its place on standard error
///
/// A rank that was stopped or died does not answer, and nobody waits for it longer than two seconds.
class PlaceExchange {
 public:
  /// Takes messages that no other code of the program sees. Collective.
  PlaceExchange();

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Returns whether MPI lets a thread send while another is in a collective. If not, the others are not to be called.
  bool can_ask() const { return can_ask_; }

  /// Answers the ranks that have asked where this one is, at `place`. Where one of them is about to end the job, it
  /// prints the place, too.
  void answer(const Place& place);

  /// Asks all other ranks for their places, and returns the answers that come in time. It answers their questions
  /// meanwhile.
  Places ask(const Place& place);

  /// Sends this rank's place to the others before it ends the job.
  void announce_end(const Place& place);

 private:
  std::optional<int> receive(int tag, Place* place);
  void send(const Place& place, int rank, int tag);
  Places exchange(const Place& place, int tag);

  CommunicatorHandle world_;
  int rank_, size_;
  bool can_ask_ = false;
  std::deque<PlaceMessage> sent_;  ///< a deque, so that none moves while it is sent
};

}  // namespace gausscse::detail
