#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "nccl_on_mpi/nccl.h"

/// NCCL's functions over MPI and host memory, strict about the way in which they are called. Every call that takes
/// other ranks stays ncclInProgress for some polls, and moves nothing before that. A call that comes too early, too
/// late, or next to another one of the same communicator is a mistake. Peers that name other counts or types are
/// ncclInvalidUsage on both. MPI is called by the thread that calls NCCL. One communicator of all ranks at a time.
namespace nccl_on_mpi {

/// Behaviour of NCCL on this rank.
struct Behaviour {
  int version = NCCL_VERSION_CODE;
  int polls = 3;               ///< polls that answer ncclInProgress before a call is through
  bool never_through = false;  ///< all polls do
  /// Answer of polls in place of success.
  ncclResult_t state = ncclSuccess;
  /// Answer to a question for the version or for an id, and to a call within a group.
  ncclResult_t answer = ncclSuccess;
  std::function<void()> at_poll;
  /// Receives the stream when a call is queued on it, once for each operation of a group.
  std::function<void(cudaStream_t)> at_queue;
  std::atomic<bool> abort_may_end{true};
};
Behaviour& behaviour();
/// As at the start of the program.
void reset_behaviour();

/// Communicators that were started, and neither destroyed nor aborted.
int live_communicators();
/// Calls of ncclCommAbort that have begun.
int aborts();
/// Returns "ncclCommDestroy before ncclCommFinalize": the wrong calls since this was asked.
std::vector<std::string> take_mistakes();

}  // namespace nccl_on_mpi
