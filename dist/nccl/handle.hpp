#pragma once

#include <nccl.h>

#include <functional>
#include <mutex>
#include <string>

namespace gausscse::detail {

/// Returns whether a call of NCCL failed, rather than being through or under way.
inline bool is_failure(ncclResult_t result) {
  return result != ncclSuccess && result != ncclInProgress;
}

/// Throws SystemError where the NCCL that is loaded is older than the one that this program was compiled with, or of
/// another major version.
void check_nccl_version();
/// Returns "2.28.9", of the NCCL that is loaded.
std::string nccl_version_text();

/// Returns an id by which ranks join, as text to be sent to them. Throws SystemError.
std::string new_nccl_id();

/// Seconds that calls of NCCL are given.
struct NcclLimits {
  double call = 600;  ///< until one is through
  double abort = 10;  ///< until an abort is; the job ends without it then
};

/// NCCL communicator that this program owns. It never blocks: a call that cannot go on is asked after until it is
/// through or the limit is over, instead of waiting inside NCCL for ever. NCCL takes one call at a time, questions
/// included: all are made here, under one mutex. A failure is a SystemError with rank, host and call; nothing but the
/// destructor may follow.
class NcclHandle {
 public:
  /// Joins `size` ranks as `rank`, with the current device. Collective.
  NcclHandle(const std::string& id, int rank, int size, NcclLimits limits);
  /// Aborts, unless `finish` came first.
  ~NcclHandle();
  NcclHandle(const NcclHandle&) = delete;
  NcclHandle& operator=(const NcclHandle&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Lets `calls` make calls of NCCL, and returns when they are queued together; `calls` returns the first failure, or
  /// ncclSuccess. `what` names them in messages.
  void queue(const char* what, const std::function<ncclResult_t(ncclComm_t)>& calls);

  /// Throws where something that is queued failed. For any thread; does nothing while another thread's call is under
  /// way.
  void check();

  /// Gives up the queued calls; returns after the limit where that cannot be. For any thread; no call may follow.
  void abort();

  /// Waits for the queued calls, takes leave of the other ranks and gives everything back. Collective.
  void finish();

 private:
  /// Polls until the call that answered `result` is through; throws unless it was a success.
  void wait(ncclResult_t result, const char* what);
  [[noreturn]] void fail(const std::string& problem, const char* what);

  std::timed_mutex mutex_;
  ncclComm_t communicator_ = nullptr;
  int rank_, size_;
  NcclLimits limits_;
  bool failed_ = false;
};

}  // namespace gausscse::detail
