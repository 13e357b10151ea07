#pragma once

#include <mpi.h>

#include <utility>

namespace gausscse::detail {

/// MPI communicator that this program owns, so that no message of it meets one of other code. Its errors are returned:
/// by default MPI ends the process, and no message of ours is ever seen.
class CommunicatorHandle {
 public:
  /// Returns a duplicate of MPI_COMM_WORLD. Collective.
  static CommunicatorHandle of_all_ranks();
  /// Returns the ranks of this node. Collective over the ranks of this communicator.
  CommunicatorHandle of_this_node() const;

  CommunicatorHandle(CommunicatorHandle&& other) noexcept : handle_(std::exchange(other.handle_, MPI_COMM_NULL)) {}
  CommunicatorHandle(const CommunicatorHandle&) = delete;
  CommunicatorHandle& operator=(const CommunicatorHandle&) = delete;
  ~CommunicatorHandle();

  MPI_Comm get() const { return handle_; }
  int rank() const;
  int size() const;

 private:
  explicit CommunicatorHandle(MPI_Comm handle) : handle_(handle) {}

  MPI_Comm handle_;
};

}  // namespace gausscse::detail
