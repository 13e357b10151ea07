#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gausscse::detail {

/// Progress of the ranks of a node on their way out of MPI: a number for each of them in memory that they share. A rank
/// that is frozen inside of MPI's end holds up nobody by MPI's rules, and `mpirun` waits for it for ever: the other
/// ranks of its node therefore go only after it.
///
///     Departure departure;                  // while MPI runs, collective over the ranks of the node
///     departure.reach(Departure::at_end);
///     MPI_Finalize();
///     departure.reach(Departure::out);
///     departure.wait();
class Departure {
 public:
  enum Stage : std::uint32_t { running, at_end, out };

  /// Shares the memory. Where ranks of a node cannot share memory, as in their own containers, nobody waits.
  Departure();
  ~Departure();
  Departure(const Departure&) = delete;
  Departure& operator=(const Departure&) = delete;

  void reach(Stage stage);
  /// Returns when all ranks of the node are out.
  void wait() const;
  /// Ranks of the node that are behind this one, for people: "rank 1 of this node is still in it"; empty: none.
  std::string who_is_behind() const;

 private:
  using Cell = std::atomic<std::uint32_t>;
  static_assert(Cell::is_always_lock_free);

  std::vector<int> ranks_;  ///< number that each rank of the node has reached, by local rank; empty: nothing is shared
  int local_rank_ = 0;
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  Cell* stages_ = nullptr;  ///< by local rank
};

}  // namespace gausscse::detail
