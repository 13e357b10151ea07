#include "nccl_on_mpi/nccl_on_mpi.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>

#include "nccl_on_mpi/operations.hpp"

using nccl_on_mpi::behaviour;
using nccl_on_mpi::Operation;

struct ncclComm {
  enum Stage { starting, ready, queueing, ending, ended, gone };
  Stage stage = starting;
  int polls_left = 0;
  ncclResult_t state = ncclSuccess;  ///< an error stays
  ncclUniqueId id{};
  std::vector<Operation> queued;
  std::atomic<bool> in_call{false};

  bool in_progress() const { return stage == starting || stage == queueing || stage == ending; }
};

namespace {

std::mutex mutex;  // of the two below
std::vector<std::string> mistakes;
std::vector<std::unique_ptr<ncclComm>> communicators;  // those that are gone, too, to know them again
std::atomic<int> abort_count{0};

thread_local int depth = 0;
thread_local std::vector<Operation> group;
thread_local ncclComm* group_communicator = nullptr;

ncclResult_t mistake(const std::string& text) {
  const std::lock_guard lock(mutex);
  mistakes.push_back(text);
  return ncclInvalidArgument;
}

/// A call on a communicator as long as it lasts.
class Call {
 public:
  Call(const char* name, ncclComm* communicator, bool may_be_in_progress) : communicator_(communicator) {
    if (!communicator || communicator->stage == ncclComm::gone) {
      communicator_ = nullptr;
      mistake(std::string(name) + " without a communicator, or after its end");
    } else if (communicator->in_call.exchange(true)) {
      communicator_ = nullptr;
      mistake(std::string(name) + " beside another call");
    } else if (communicator->in_progress() && !may_be_in_progress) {
      refused_ = true;
      mistake(std::string(name) + " before the call before was through");
    }
  }
  ~Call() {
    if (communicator_) communicator_->in_call = false;
  }
  explicit operator bool() const { return communicator_ && !refused_; }

 private:
  ncclComm* communicator_;
  bool refused_ = false;
};

ncclResult_t begin(ncclComm* communicator, ncclComm::Stage stage) {
  communicator->stage = stage;
  communicator->polls_left = behaviour().polls;
  return ncclInProgress;
}

/// The end of calls that polls answered with ncclInProgress.
void complete(ncclComm* communicator) {
  if (communicator->stage == ncclComm::starting && !nccl_on_mpi::is_same_on_all_ranks(communicator->id))
    communicator->state = ncclInvalidUsage;
  if (communicator->stage == ncclComm::queueing) {
    for (const Operation& operation : communicator->queued)
      if (behaviour().at_queue) behaviour().at_queue(operation.stream);
    communicator->state = nccl_on_mpi::execute(communicator->queued);
    communicator->queued.clear();
  }
  communicator->stage = communicator->stage == ncclComm::ending ? ncclComm::ended : ncclComm::ready;
}

ncclResult_t add(const char* name, ncclComm* communicator, const Operation& operation) {
  const Call call(name, communicator, false);
  if (!call) return ncclInvalidArgument;
  if (communicator->stage == ncclComm::ended) return mistake(std::string(name) + " after ncclCommFinalize");
  if (depth == 0) return mistake(std::string(name) + " outside of a group");
  if (operation.count == 0) return mistake(std::string(name) + " of no elements");
  if (behaviour().answer != ncclSuccess) return behaviour().answer;
  group_communicator = communicator;
  group.push_back(operation);
  return ncclSuccess;
}

}  // namespace

namespace nccl_on_mpi {

Behaviour& behaviour() {
  static Behaviour now;
  return now;
}

void reset_behaviour() {
  Behaviour& now = behaviour();
  now.version = NCCL_VERSION_CODE;
  now.polls = 3;
  now.never_through = false;
  now.state = ncclSuccess;
  now.answer = ncclSuccess;
  now.at_poll = nullptr;
  now.at_queue = nullptr;
  now.abort_may_end = true;
}

int live_communicators() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(std::count_if(communicators.begin(), communicators.end(),
                                        [](const auto& one) { return one->stage != ncclComm::gone; }));
}

int aborts() {
  return abort_count;
}

std::vector<std::string> take_mistakes() {
  const std::lock_guard lock(mutex);
  return std::exchange(mistakes, {});
}

}  // namespace nccl_on_mpi

extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = behaviour().version;
  return behaviour().answer;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static char number = 0;
  // With zeros in it, as NCCL's has.
  std::memset(id->internal, 0, sizeof id->internal);
  id->internal[7] = ++number;
  id->internal[NCCL_UNIQUE_ID_BYTES - 1] = 'x';
  return behaviour().answer;
}

const char* ncclGetErrorString(ncclResult_t result) {
  constexpr const char* names[] = {"no error",       "a CUDA call failed", "a system call failed", "internal error",
                                   "wrong argument", "wrong use",          "another rank failed",  "in progress"};
  return names[result];
}

const char* ncclGetLastError(ncclComm_t) {
  return "told by nccl_on_mpi";
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t* communicator, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  if (config->blocking != 0) return mistake("a communicator that blocks");
  if (id.internal[NCCL_UNIQUE_ID_BYTES - 1] != 'x') return mistake("an id that is no id");
  int own = 0, all = 0;
  nccl_on_mpi::place_of_rank(own, all);
  if (own != rank || all != size) return mistake("a communicator of other ranks than MPI's");
  const std::lock_guard lock(mutex);
  *communicator = communicators.emplace_back(std::make_unique<ncclComm>()).get();
  (*communicator)->id = id;
  return begin(*communicator, ncclComm::starting);
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* state) {
  const Call call("ncclCommGetAsyncError", communicator, true);
  if (!call) return ncclInvalidArgument;
  if (behaviour().at_poll) behaviour().at_poll();
  *state = ncclInProgress;
  if (behaviour().state != ncclSuccess) communicator->state = behaviour().state;
  if (communicator->state == ncclSuccess && communicator->in_progress()) {
    if (behaviour().never_through || communicator->polls_left-- > 0) return ncclSuccess;
    complete(communicator);
  }
  *state = communicator->state;
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  const Call call("ncclCommFinalize", communicator, false);
  if (!call) return ncclInvalidArgument;
  if (communicator->stage == ncclComm::ended) return mistake("ncclCommFinalize twice");
  return begin(communicator, ncclComm::ending);
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  const Call call("ncclCommDestroy", communicator, false);
  if (!call) return ncclInvalidArgument;
  if (communicator->stage != ncclComm::ended) return mistake("ncclCommDestroy before ncclCommFinalize");
  communicator->stage = ncclComm::gone;
  return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  const Call call("ncclCommAbort", communicator, true);
  if (!call) return ncclInvalidArgument;
  communicator->stage = ncclComm::gone;
  ++abort_count;
  behaviour().abort_may_end.wait(false);
  return ncclSuccess;
}

ncclResult_t ncclGroupStart() {
  ++depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (depth == 0) return mistake("ncclGroupEnd without ncclGroupStart");
  if (--depth > 0 || group.empty()) return ncclSuccess;
  const Call call("ncclGroupEnd", group_communicator, false);
  if (!call) return ncclInvalidArgument;
  group_communicator->queued = std::exchange(group, {});
  return begin(group_communicator, ncclComm::queueing);
}

ncclResult_t ncclAllReduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                           ncclComm_t communicator, cudaStream_t stream) {
  return add("ncclAllReduce", communicator, {Operation::all_reduce, send, receive, count, type, -1, operation, stream});
}

ncclResult_t ncclAllGather(const void* send, void* receive, size_t count, ncclDataType_t type, ncclComm_t communicator,
                           cudaStream_t stream) {
  return add("ncclAllGather", communicator, {Operation::all_gather, send, receive, count, type, -1, ncclSum, stream});
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream) {
  return add("ncclReduceScatter", communicator,
             {Operation::reduce_scatter, send, receive, count, type, -1, operation, stream});
}

ncclResult_t ncclBroadcast(const void* send, void* receive, size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  return add("ncclBroadcast", communicator, {Operation::broadcast, send, receive, count, type, root, ncclSum, stream});
}

ncclResult_t ncclReduce(const void* send, void* receive, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                        int root, ncclComm_t communicator, cudaStream_t stream) {
  return add("ncclReduce", communicator, {Operation::reduce, send, receive, count, type, root, operation, stream});
}

ncclResult_t ncclSend(const void* data, size_t count, ncclDataType_t type, int to, ncclComm_t communicator,
                      cudaStream_t stream) {
  return add("ncclSend", communicator, {Operation::send, data, nullptr, count, type, to, ncclSum, stream});
}

ncclResult_t ncclRecv(void* data, size_t count, ncclDataType_t type, int from, ncclComm_t communicator,
                      cudaStream_t stream) {
  return add("ncclRecv", communicator, {Operation::receive, nullptr, data, count, type, from, ncclSum, stream});
}
}
