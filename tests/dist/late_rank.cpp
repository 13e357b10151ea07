// late_rank ROLE: three ranks of which the last one does not come to the all-reduce of the others in time.
//   elsewhere     it waits in a barrier until the watchdogs of the others end the job
//   computing     likewise in no collective at all
//   at_work       it is at slow work: they must wait for it, and everything ends well
//   late          it comes within the time-out, which all ranks computed for longer than before: everything ends well
//   works_at_end  it is alive and in no collective while the others wait for the end: they must wait for it
//   cannot_ask    as computing, but MPI allows the watchdog no questions
// Or the sum is queued on a device, and all ranks go on:
//   queued        it is never done on the last rank; the others wait for that in a barrier, the last one in none
//   queue_failed  it fails there
//   queue_waits   it is not done as long as the last rank is at slow work: as at_work
//   queue_moves   sums take less than the time-out each, but longer together: everything ends well

#include <ATen/ops/zeros.h>
#include <mpi.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "dist/control_group.hpp"
#include "dist/group_work.hpp"
#include "dist/monitored_communicator.hpp"
#include "dist/mpi/session.hpp"
#include "dist/mpi/watchdog.hpp"
#include "tests/dist/forwarding_collectives.hpp"

namespace {

constexpr double time_out = 5;
constexpr double short_time_out = 2;

std::atomic<int> answers{0};
std::atomic<bool> work_is_over{false};
/// Number of questions for a sum that moves on, in all; the watchdog asks ten times a second.
std::atomic<int> questions{0};
constexpr int questions_of_a_sum = 15;
/// Number of looks of this rank's watchdog since another rank answered it last; ten times a second.
std::atomic<int> looks{0};
constexpr int looks_of_short_time_out = 20;
/// At this look the watchdog of rank 0 has the last rank come.
std::atomic<int> last_rank_comes_at{-1};
constexpr int come_tag = 77;
bool may_ask = true;

/// All ranks compute for longer than the time-out; then the others wait for a part of it. Looks are counted on each
/// rank, and a busy machine does not make them at the same rate.
void come_late(int rank) {
  if (rank == 2) {
    PMPI_Recv(nullptr, 0, MPI_INT, 0, come_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return;
  }
  for (int seen = looks; seen < looks_of_short_time_out * 5 / 4; seen = looks) looks.wait(seen);
  PMPI_Sendrecv(nullptr, 0, MPI_INT, 1 - rank, come_tag, nullptr, 0, MPI_INT, 1 - rank, come_tag, MPI_COMM_WORLD,
                MPI_STATUS_IGNORE);
  if (rank == 0) last_rank_comes_at = looks + looks_of_short_time_out / 2;
}

[[noreturn]] void stay() {
  // MPI_Abort of another rank ends this; a signal that comes before, such as SIGCHLD, does not.
  while (true) pause();
}

/// As a file that is written; until both others have asked twice: each is then past its time-out and waits again.
void work(gausscse::ControlGroup& communicator) {
  const gausscse::LongOperation at_work(communicator);
  for (int seen = 0; seen < 4; seen = answers) answers.wait(seen);
}

/// Sums that are queued, and done on all ranks but the last.
class QueuesSums : public gausscse::ForwardingCollectives {
 public:
  QueuesSums(std::unique_ptr<gausscse::Collectives> host, int rank, std::string role)
      : ForwardingCollectives(std::move(host)), rank_(rank), role_(std::move(role)) {}

  void run(const gausscse::TensorCall& call) override {
    if (call.collective == gausscse::Collective::all_reduce_sum)
      ++sums_;
    else
      host().run(call);
  }

  gausscse::QueuedCollective take_queued() override {
    if (sums_ == taken_) return {};
    const int sum = ++taken_;
    if (role_ == "queue_moves") {
      return {.is_done = [sum] {
        const bool is_done = ++questions >= sum * questions_of_a_sum;
        questions.notify_all();
        return is_done;
      }};
    }
    if (role_ == "queue_waits") return {.is_done = [] { return work_is_over.load(); }};
    return {.is_done =
                [last = rank_ == 2, fails = role_ == "queue_failed"] {
                  if (last && fails) throw gausscse::SystemError("the device is gone");
                  return !last;
                },
            .abort = [rank = rank_] { std::fprintf(stderr, "rank %d aborts its device\n", rank); }};
  }

 private:
  int rank_;
  std::string role_;
  int sums_ = 0, taken_ = 0;
};

int run_queued(gausscse::MonitoredCommunicator& communicator, const std::string& role) {
  communicator.replace_collectives([&](gausscse::ControlGroup& ranks, std::unique_ptr<gausscse::Collectives> host) {
    return std::make_unique<QueuesSums>(std::move(host), ranks.rank(), role);
  });
  communicator.set_step(7);
  if (role == "queue_waits" && communicator.rank() == 2) work(communicator);
  const int sums = role == "queue_moves" ? 3 : 1;
  for (int i = 0; i < sums; ++i) communicator.all_reduce_sum(at::zeros({4}));
  if (role == "queue_moves") {
    for (int seen = 0; seen < sums * questions_of_a_sum; seen = questions) questions.wait(seen);
  } else if (role == "queue_waits") {
    MPI_Barrier(MPI_COMM_WORLD);
    work_is_over = true;
  } else if (communicator.rank() == 2) {
    stay();
  }
  communicator.barrier();
  return 0;
}

}  // namespace

// Takes the place of the library's: the watchdog's answers are the only messages of tag 2.
// Who asks must have waited for the whole time-out since it asked before.
extern "C" int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
                         MPI_Request* request) {
  if (tag == 2) {
    ++answers;
    answers.notify_all();
  }
  if (tag == 1 && looks < looks_of_short_time_out) std::fprintf(stderr, "asked too early\n");
  return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

extern "C" int MPI_Iprobe(int from, int tag, MPI_Comm communicator, int* there, MPI_Status* status) {
  if (tag == 1) {
    if (++looks == last_rank_comes_at) PMPI_Send(nullptr, 0, MPI_INT, 2, come_tag, MPI_COMM_WORLD);
    looks.notify_all();
  }
  return PMPI_Iprobe(from, tag, communicator, there, status);
}

extern "C" int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
                        MPI_Status* status) {
  const int result = PMPI_Recv(data, count, type, from, tag, communicator, status);
  if (tag == 2) looks = 0;
  return result;
}

extern "C" int MPI_Query_thread(int* provided) {
  const int result = PMPI_Query_thread(provided);
  if (!may_ask) *provided = MPI_THREAD_FUNNELED;
  return result;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::string role = argv[1];
  const bool ends_well =
      role == "at_work" || role == "late" || role == "queue_moves" || role == "queue_waits" || role == "works_at_end";
  may_ask = role != "cannot_ask";
  // MPI's start and end have a limit that a busy machine keeps to; only the collectives have that of the test.
  gausscse::MpiSession mpi(600);
  const auto communicator = std::make_unique<gausscse::MonitoredCommunicator>(
      gausscse::make_mpi_control_group(), gausscse::make_mpi_collectives(),
      gausscse::make_watchdog(ends_well ? short_time_out : time_out), false);
  MPI_Barrier(MPI_COMM_WORLD);
  if (role.starts_with("queue")) return run_queued(*communicator, role);
  if (role == "works_at_end") {
    if (communicator->rank() == 2)
      for (int seen = 0; seen < 4; seen = answers) answers.wait(seen);
    communicator->wait_for_end();
    return 0;
  }
  communicator->set_step(7);
  if (role == "late") {
    come_late(communicator->rank());
  } else if (communicator->rank() == 2) {
    if (role == "elsewhere") {
      communicator->barrier();
    } else if (role == "computing" || role == "cannot_ask") {
      stay();
    } else {
      work(*communicator);
    }
  }
  communicator->all_reduce_sum(at::zeros({4}));
  return 0;
}
