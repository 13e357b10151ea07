#pragma once

#include <mpi.h>

#include <string>
#include <utility>

#include "base/error.hpp"

namespace gausscse::detail {

/// Throws a SystemError for an MPI call that did not succeed.
inline void check_mpi(int code, const char* call, const char* file, int line) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {}, host[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0, rank = -1;
  MPI_Error_string(code, text, &length);
  MPI_Get_processor_name(host, &length);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  throw SystemError(
      concat("MPI call failed on rank ", rank, " (", host, "): ", text, " in ", call, " at ", file, ":", line));
}

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

#define GAUSSCSE_MPI_CHECK(call) ::gausscse::detail::check_mpi((call), #call, __FILE__, __LINE__)
