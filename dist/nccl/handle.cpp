#include "dist/nccl/handle.hpp"

#include <chrono>
#include <cstring>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"

namespace gausscse::detail {

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Questions after which a call that only takes a moment is through; after that a rank waits for others.
constexpr int quick_questions = 1000;
constexpr auto question_interval = std::chrono::microseconds(100);

std::string text_of_version(int version) {
  return concat(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

int loaded_version() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess)
    throw SystemError(
        concat("NCCL on host ", host_name(), " does not report its version: check that libnccl.so.2 is whole"));
  return version;
}

}  // namespace

void check_nccl_version() {
  const int version = loaded_version();
  if (version >= NCCL_VERSION_CODE && version / 10000 == NCCL_VERSION_CODE / 10000) return;
  throw SystemError(concat("the NCCL that is loaded on host ", host_name(), " is ", text_of_version(version),
                           ", but this program was compiled with ", text_of_version(NCCL_VERSION_CODE),
                           " and needs that or a later ", NCCL_VERSION_CODE / 10000,
                           ".x: LD_LIBRARY_PATH or LibTorch's folder has another libnccl.so.2 in it"));
}

std::string nccl_version_text() {
  return text_of_version(loaded_version());
}

std::string new_nccl_id() {
  ncclUniqueId id;
  const ncclResult_t result = ncclGetUniqueId(&id);
  if (result != ncclSuccess)
    throw SystemError(concat(
        "NCCL on host ", host_name(), " finds no way to reach other ranks: ", ncclGetErrorString(result), ": ",
        ncclGetLastError(nullptr), " (NCCL_SOCKET_IFNAME names the network to use, NCCL_DEBUG=INFO prints more)"));
  return {id.internal, sizeof id.internal};
}

NcclHandle::NcclHandle(const std::string& id, int rank, int size, NcclLimits limits)
    : rank_(rank), size_(size), limits_(limits) {
  ncclUniqueId shared;
  GAUSSCSE_CHECK(id.size() == sizeof shared.internal, "an id of NCCL");
  std::memcpy(shared.internal, id.data(), id.size());
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.blocking = 0;
  config.commName = "gausscse";
  try {
    wait(ncclCommInitRankConfig(&communicator_, size, shared, rank, &config), "its start");
  } catch (...) {
    abort();
    throw;
  }
}

NcclHandle::~NcclHandle() {
  abort();
}

void NcclHandle::queue(const char* what, const std::function<ncclResult_t(ncclComm_t)>& calls) {
  const std::lock_guard lock(mutex_);
  if (failed_ || !communicator_) throw SystemError(concat("NCCL failed before on rank ", rank_, ": no ", what));
  wait(ncclGroupStart(), what);
  const ncclResult_t called = calls(communicator_);
  // Ended in any case: groups are the thread's, not the communicator's.
  const ncclResult_t ended = ncclGroupEnd();
  wait(is_failure(called) ? called : ended, what);
}

void NcclHandle::check() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || failed_ || !communicator_) return;
  ncclResult_t state = ncclSuccess;
  const ncclResult_t asked = ncclCommGetAsyncError(communicator_, &state);
  if (is_failure(asked)) state = asked;
  if (is_failure(state)) fail(ncclGetErrorString(state), "the queued calls");
}

void NcclHandle::finish() {
  const std::lock_guard lock(mutex_);
  if (failed_ || !communicator_) return;
  wait(ncclCommFinalize(communicator_), "its end");
  const ncclResult_t result = ncclCommDestroy(std::exchange(communicator_, nullptr));
  if (is_failure(result)) fail(ncclGetErrorString(result), "its end");
}

void NcclHandle::wait(ncclResult_t result, const char* what) {
  const auto end = Clock::now() + Seconds(limits_.call);
  for (int questions = 0; result == ncclInProgress; ++questions) {
    if (Clock::now() > end) fail(concat("no progress for ", limits_.call, " s"), what);
    if (questions < quick_questions)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(question_interval);
    const ncclResult_t asked = ncclCommGetAsyncError(communicator_, &result);
    if (is_failure(asked)) result = asked;
  }
  if (is_failure(result)) fail(ncclGetErrorString(result), what);
}

void NcclHandle::fail(const std::string& problem, const char* what) {
  failed_ = true;
  const char* more = ncclGetLastError(communicator_);
  throw SystemError(concat("NCCL failed on rank ", rank_, " (", host_name(), ") in ", what, ": ", problem,
                           more && *more ? concat(" (", more, ")") : std::string(),
                           "; another rank, its GPU or the network may be the cause (NCCL_DEBUG=INFO prints more)"));
}

void NcclHandle::abort() {
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(limits_.abort));
  // Another thread's call may be stuck in NCCL.
  const std::unique_lock lock(mutex_, end);
  if (!lock) return;
  ncclComm_t communicator = std::exchange(communicator_, nullptr);
  if (!communicator) return;
  // It may wait for a GPU that is stuck, however it is called.
  const auto through = std::make_shared<std::promise<void>>();
  std::future<void> is_through = through->get_future();
  std::thread([communicator, through] {
    ncclCommAbort(communicator);
    through->set_value();
  }).detach();
  is_through.wait_until(end);
}

}  // namespace gausscse::detail
